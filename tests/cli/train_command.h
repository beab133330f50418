#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "phrasebook/phrasebook.h"
#include "store/model_file.h"
#include "tests/cli/program.h"
#include "train/state.h"

extern char** environ;

// `dragoman train` on a few sentences of the phrasebook.
namespace dragoman::cli {

// A model that memorises some sentences in a second or two.
inline const char* const kModel =
    "--preset transformer-tiny --model.embedding 32 --model.transformer.size 32 --model.transformer.feed-forward 64 "
    "--model.transformer.encoder-layers 1 --model.transformer.decoder-layers 1 --model.transformer.dropout 0 "
    "--threads 1 ";

class TrainCommand : public testing::Test {
 protected:
  TrainCommand() {
    const phrasebook::Phrasebook book(5);
    std::string english, german;
    for (std::uint64_t i = 0; i < 40; ++i) {
      const phrasebook::BilingualPhrase pair = book.pair(phrasebook::Split::train, i);
      english += pair.english + "\n";
      german += pair.german + "\n";
    }
    folder_.write("en", english);
    folder_.write("de", german);
  }

  std::string path(const std::string& name) const { return folder_.file(name); }
  Outcome run(const std::string& arguments) const { return run_program(folder_, "train " + arguments); }
  std::string data() const { return std::string(kModel) + "--source en --target de --cache . "; }
  std::string validated() const { return data() + "--valid-source en --valid-target de "; }
  // The complete lines; the run may be writing the next one.
  std::vector<nlohmann::json> log(const std::string& run) const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(path(run + "/log.jsonl"));
    for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  std::string newest(const std::string& run) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path(run + "/checkpoints")))
      if (entry.path().extension() == ".safetensors") names.push_back(entry.path());
    return names.empty() ? "" : *std::max_element(names.begin(), names.end());
  }
  // Everything in a checkpoint except the training time and, therefore, the checksum.
  static std::map<std::string, std::string> contents(const std::string& path) {
    const store::SafetensorsFile file(path);
    file.verify();
    std::map<std::string, std::string> all;
    for (const store::TensorRecord& tensor : file.tensors()) all[tensor.name] = file.read(tensor);
    train::TrainState state = train::state_from_json(all.at("train.state"), path);
    state.seconds = 0;
    all["train.state"] = train::to_json(state);
    for (const auto& [key, value] : file.metadata())
      if (!key.starts_with("checksum")) all["metadata." + key] = value;
    return all;
  }
  // Starts a trainer that the test can send signals to.
  pid_t start(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.path() + "' && exec '" DRAGOMAN_PROGRAM "' train " + arguments + " >/dev/null 2>>stderr";
    const char* const words[] = {"sh", "-c", command.c_str(), nullptr};
    pid_t process = 0;
    EXPECT_EQ(posix_spawnp(&process, "sh", nullptr, nullptr, const_cast<char**>(words), environ), 0);
    return process;
  }
  static int wait_for(pid_t process) {
    int status = 0;
    waitpid(process, &status, 0);
    return status;
  }

  support::TempFolder folder_;
};

}  // namespace dragoman::cli
