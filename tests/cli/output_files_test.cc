#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

// Two files of a corpus, a model of it and a file of labels.
class OutputFiles : public testing::Test {
 protected:
  OutputFiles() {
    std::string english, german;
    for (int i = 0; i < 40; ++i)
      english += "the dog sleeps\nan old house\n", german += "der hund schläft\nein altes haus\n";
    folder_.write("en", english);
    folder_.write("de", german);
    const Outcome outcome =
        run("train --preset transformer-tiny --device cpu --threads 1 --source en --target de --until 1u --output run");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    fs::rename(folder_.file("run/model.safetensors"), folder_.file("m"));
    fs::remove_all(folder_.file("run"));
    fs::create_directory(folder_.file("folder"));
  }

  Outcome run(const std::string& arguments) const { return run_program(folder_, arguments); }
  std::string file(const std::string& name) const { return support::read_all(folder_.file(name)); }

  support::TempFolder folder_;
};

TEST_F(OutputFiles, NoCommandWritesOverWhatItReads) {
  fs::create_symlink("en", folder_.file("link"));
  const std::string english = file("en"), german = file("de"), model = file("m");
  for (const std::string command :
       {"shortlist m --source en --target de --output en", "shortlist m --source en --target de --output m",
        "score --model m en de --alignments de", "align en de --lexicon-text ./en", "align en de --save link",
        "vocab en de --size 300 --output de", "average m --output m", "align en de --lexicon en",
        "align en de --save de", "align en de --svg en", "classify --model m --input en --output en",
        "import m --output m"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_NE(outcome.err.find("is also the file of"), std::string::npos) << command << ": " << outcome.err;
  }
  EXPECT_EQ(file("en"), english);
  EXPECT_EQ(file("de"), german);
  EXPECT_EQ(file("m"), model);
}

TEST_F(OutputFiles, APlaceThatCannotBeWrittenIsRefusedBeforeAnythingIsComputed) {
  for (const std::string command :
       {"vocab en --size 300 --output ", "shortlist m --source en --target de --output ", "average m --output ",
        "quantize m --output ", "align en de --save ", "translate --model m --input en --alignments ",
        "score --model m en de --alignments ", "filter en de --output-target b --output-source "}) {
    const Outcome absent = run(command + "nowhere/file");
    EXPECT_EQ(absent.status, 1) << command;
    EXPECT_NE(absent.err.find("nowhere/file: cannot be written: the folder "), std::string::npos) << absent.err;
    EXPECT_NE(absent.err.find("No such file or directory"), std::string::npos) << absent.err;
    const Outcome folder = run(command + "folder");
    EXPECT_EQ(folder.status, 1) << command;
    EXPECT_NE(folder.err.find("folder: expected a file but it is a folder"), std::string::npos) << folder.err;
    for (const Outcome& outcome : {absent, folder}) {
      EXPECT_EQ(outcome.out, "") << command;
      EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << command << ": one message only: " << outcome.err;
    }
  }
  EXPECT_TRUE(fs::is_empty(folder_.file("folder")));
}

TEST_F(OutputFiles, ASignalLeavesNothingHalfWritten) {
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
    int input[2];  // never ends
    ASSERT_EQ(pipe2(input, O_CLOEXEC), 0);
    const pid_t process = fork();
    if (process == 0) {
      std::signal(signal, SIG_DFL);
      dup2(input[0], STDIN_FILENO);
      if (chdir(folder_.path().c_str()) == 0)
        execl(DRAGOMAN_PROGRAM, "dragoman", "translate", "--device", "cpu", "--threads", "1", "--model", "m",
              "--output", "out", "--alignments", "links", "--quiet", nullptr);
      _exit(127);
    }
    const auto unfinished = [&] {
      const std::vector<std::string> names = folder_.names();
      return std::count_if(names.begin(), names.end(),
                           [](const auto& name) { return name.find(".partial-") != name.npos; });
    };
    for (int wait = 0; wait < 1000 && unfinished() < 2; ++wait) usleep(10'000);
    EXPECT_EQ(unfinished(), 2) << signal;
    kill(process, signal);
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
    EXPECT_EQ(unfinished(), 0) << signal;
    EXPECT_FALSE(fs::exists(folder_.file("out"))) << signal;
    close(input[0]);
    close(input[1]);
  }
}

TEST_F(OutputFiles, ACorpusThatIsNotUtf8IsNotReadInSilence) {
  folder_.write("wide", std::string("a\0b\n", 4) + "c d\n");
  for (const std::string command : {"vocab wide --size 300 --output v", "tokenize wide"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << command << outcome.err;
    const std::string warning = "wide:1: byte 2 is NUL, and there may be more of them; expected UTF-8 text";
    EXPECT_NE(outcome.err.find(warning), std::string::npos) << command << ": " << outcome.err;
    EXPECT_EQ(outcome.err.find(warning), outcome.err.rfind(warning)) << command << ": only once";
  }
}

}  // namespace
}  // namespace dragoman::cli
