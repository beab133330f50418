// `dragoman serve` as a program: what it says, and which signals it obeys.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/cli/program.h"
#include "tests/search/text_model.h"
#include "tests/serve/test_server.h"

extern char** environ;

namespace dragoman::serve::test {
namespace {

// A running program; killed at the end of the test if it still runs.
class RunningServer {
 public:
  RunningServer(const support::TempFolder& folder, const std::string& model) : log_(folder.file("log")) {
    const std::string command =
        "exec '" DRAGOMAN_PROGRAM "' serve --device cpu --port 0 --model " + model + " 2>'" + log_ + "'";
    const char* const arguments[] = {"sh", "-c", command.c_str(), nullptr};
    check(posix_spawnp(&process_, "sh", nullptr, nullptr, const_cast<char**>(arguments), environ) == 0,
          "the program cannot be started");
    check(eventually([&] { return said("listening on"); }), "the server did not start");
  }
  ~RunningServer() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  bool said(const std::string& words) const { return support::read_all(log_).find(words) != std::string::npos; }
  int port() const {
    const std::string log = support::read_all(log_);
    return std::stoi(log.substr(log.find("127.0.0.1:") + std::string("127.0.0.1:").size()));
  }
  void signal(int number) const { ::kill(process_, number); }
  // The status of the program once it has ended by itself.
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::string log_;
  pid_t process_ = -1;
};

TEST(ServeProgram, TranslatesReloadsAndStops) {
  const support::TempFolder folder;
  search::test::write_text_model(folder.file("model"), "transformer-tiny", 3);
  RunningServer server(folder, "en-de=" + folder.file("model"));
  EXPECT_TRUE(server.said("translates en-de"));
  const auto translate = [&] {
    return Client(server.port())
        .post_form("/translate", "q=the+red+house&source=en&target=de")
        .json()["translatedText"];
  };
  const auto before = translate();
  EXPECT_TRUE(before.is_string());
  server.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return server.said("the models were replaced"); }));
  EXPECT_EQ(translate(), before);
  // A model that cannot be read leaves the old one in its place.
  folder.write("model", "no model");
  server.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return server.said("the models stay as they are"); }));
  EXPECT_EQ(translate(), before);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST(ServeProgram, StopsInOrderAlsoWhileItReloads) {
  const support::TempFolder models;
  search::test::write_text_model(models.file("model"), "transformer-tiny", 3);
  for (int pause = 0; pause < 4; ++pause) {
    const support::TempFolder folder;
    RunningServer server(folder, "en-de=" + models.file("model"));
    server.signal(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 * pause));
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << pause;
    EXPECT_TRUE(server.said("finishing the requests"));
  }
}

TEST(ServeProgram, SaysWhatIsWrong) {
  const support::TempFolder folder;
  search::test::write_text_model(folder.file("model"), "transformer-tiny", 3);
  const auto fails = [&](const std::string& flags, const std::string& reason) {
    const cli::Outcome outcome = cli::run_program(folder, "serve " + flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << flags << "\n" << outcome.err;
  };
  fails("--model model", "the file does not say its languages; name them: --model en-de=model");
  fails("--model en-de=missing", "missing");
  fails("--model en-de=model --address localhost", "expected an IP address");
  fails("--model en-de=model --max-wait 5", "expected a time");
  fails("--model en-de=model --timeout 0s", "--timeout 0s: expected more than 0");
  fails("--model", "--model: expected a value after it");
  for (const char* const origin : {"example.org", "https://example.org/", "https://", "https://a.org,https://b.org"})
    fails(std::string("--model en-de=model --cors-origin ") + origin,
          "expected one origin such as https://example.org");
  folder.write("keys", "short\n");
  fails("--model en-de=model --keys keys", "at least 8 characters");
  const TestServer other;
  fails("--model en-de=model --port " + std::to_string(other.port()), "in use; choose another");
}

}  // namespace
}  // namespace dragoman::serve::test
