#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "models/presets.h"
#include "models/seq2seq.h"
#include "store/model_file.h"
#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

TEST(Inspect, ListsAndDescribesEveryPreset) {
  const support::TempFolder folder;
  const Outcome list = run_program(folder, "inspect --presets");
  for (const std::string& name : models::preset_names()) {
    const std::string summary = models::preset_summary(name);
    EXPECT_GT(summary.size(), 20u) << name;
    EXPECT_NE(list.out.find(fmt::format("{:<44} {}\n", name, summary)), std::string::npos) << name;
    const Outcome one = run_program(folder, "inspect " + name + " --json");
    ASSERT_EQ(one.status, 0) << name << ": " << one.err;
    EXPECT_GT(nlohmann::json::parse(one.out)["parameter_count"].get<std::int64_t>(), 100'000) << name;
  }
}

TEST(Inspect, ListsPresetsAsJson) {
  const support::TempFolder folder;
  const auto list = nlohmann::json::parse(run_program(folder, "inspect --presets --json").out);
  EXPECT_EQ(list.size(), models::preset_names().size() + models::statistical_preset_names().size());
  EXPECT_EQ(list.at(0).at("name"), models::preset_names().at(0));
  EXPECT_EQ(list.at(0).at("summary"), models::preset_summary(models::preset_names().at(0)));
}

TEST(Inspect, SaysWhatIsExpected) {
  const support::TempFolder folder;
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"",
            "expected one model file or preset: dragoman inspect FILE (inspect --presets lists presets), but got none"},
           {"nosuch.safetensors", "nosuch.safetensors: there is no such file"},
           {"run/nosuch", "run/nosuch: there is no such file"},
           {"transformer-bse", "did you mean 'transformer-base'?"},
           {"something", "there is no preset 'something'; `dragoman inspect --presets` lists them"},
           {"transformer-base --verify", "--verify: transformer-base is a preset; expected a model file"},
           {"--presets --verify", "--verify has no effect"},
           {"--presets transformer-base", "expected no model file or preset beside it, but got 1: transformer-base"}}) {
    const Outcome outcome = run_program(folder, "inspect " + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << ": " << outcome.err;
  }
}

void save_small_model(const std::string& path, const store::Metadata& card) {
  models::ModelConfig config = models::preset("lstm-luong");
  config.source_vocabulary = config.target_vocabulary = 30;
  models::Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  store::ModelInfo info;
  info.config = config;
  info.card = card;
  store::save_model(path, info, model.parameters());
}

TEST(Inspect, ShowsAModelFilesShapesSettingsAndCard) {
  const support::TempFolder folder;
  save_small_model(folder.file("m.safetensors"), {{"data", "made up"}});
  const Outcome shown = run_program(folder, "inspect m.safetensors");
  EXPECT_EQ(shown.status, 0) << shown.err;
  for (const char* part : {"weight_hh_l0", "[512, 128]", "recurrent.input-feeding: true", "data: made up"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << "\n" << shown.out;
}

TEST(Inspect, VerifiesTheChecksumAndEscapesWhatAStrangerWrote) {
  const support::TempFolder folder;
  save_small_model(folder.file("m"), {{"title\x1b]0;", "\x1b[2J\nall\u202E clear"}});
  const Outcome good = run_program(folder, "inspect m --verify");
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_NE(good.out.find("\nchecksum: matches\n"), std::string::npos) << good.out;
  EXPECT_NE(good.out.find("title\\x1B]0;: \\x1B[2J\\x0Aall\\u{202E} clear\n"), std::string::npos) << good.out;
  std::string bytes = support::read_all(folder.file("m"));
  bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
  folder.write("m", bytes);
  const Outcome bad = run_program(folder, "inspect m --verify");
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.err.find("m: is damaged: its checksum does not match"), std::string::npos) << bad.err;
  EXPECT_EQ(run_program(folder, "inspect m").status, 0) << "shapes and settings are in the header";
}

TEST(Inspect, RefusesPipesAndFoldersWithASentence) {
  const support::TempFolder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const Outcome pipe = run_program(folder, "inspect pipe");
  EXPECT_EQ(pipe.status, 1);
  EXPECT_NE(pipe.err.find("pipe: expected a regular file but this is a pipe or a device"), std::string::npos);
  EXPECT_NE(run_program(folder, "inspect .").err.find("this is a folder"), std::string::npos);
}

TEST(Inspect, RefusesWhatIsNoModel) {
  const support::TempFolder folder;
  const Outcome unknown = run_program(folder, "inspect transformer-bse");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.err.find("did you mean 'transformer-base'?"), std::string::npos) << unknown.err;
  EXPECT_NE(run_program(folder, "inspect").err.find("expected one model file or preset"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::cli
