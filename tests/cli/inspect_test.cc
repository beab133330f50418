#include <fmt/format.h>
#include <gtest/gtest.h>

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

TEST(Inspect, ShowsAModelFilesShapesSettingsAndCard) {
  const support::TempFolder folder;
  models::ModelConfig config = models::preset("lstm-luong");
  config.source_vocabulary = config.target_vocabulary = 30;
  models::Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  store::ModelInfo info;
  info.config = config;
  info.card = {{"data", "made up"}};
  store::save_model(folder.file("m.safetensors"), info, model.parameters());
  const Outcome shown = run_program(folder, "inspect m.safetensors");
  EXPECT_EQ(shown.status, 0) << shown.err;
  for (const char* part : {"weight_hh_l0", "[512, 128]", "recurrent.input-feeding: true", "data: made up"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << "\n" << shown.out;
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
