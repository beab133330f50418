#include "run/ready_models.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

class ReadyModels : public testing::Test {
 protected:
  void add(const std::string& name) { std::ofstream(folder_.file(name)) << "model"; }
  std::vector<std::string> folders() const { return {folder_.path()}; }

  support::TempFolder folder_;
};

TEST_F(ReadyModels, AreTheFilesThatAreNamedByTheirLanguages) {
  for (const char* const name :
       {"en-de.safetensors", "de-en.safetensors", "mine.safetensors", "en-fr.txt", "README.md"})
    add(name);
  std::vector<std::string> found;
  for (const ReadyModel& model : ready_models(folders())) found.push_back(model.languages.show());
  EXPECT_EQ(found, (std::vector<std::string>{"de-en", "en-de"}));
}

TEST_F(ReadyModels, AreFoundBesideTheProgramInItsInstallationAndInItsSourceTree) {
  namespace fs = std::filesystem;
  const fs::path top = folder_.path();
  const std::vector<fs::path> expected = {top / "bin/models", top / "share/dragoman/models", top / "models"};
  for (const fs::path& folder : expected) fs::create_directories(folder);
  fs::create_directories(top / "recipes");
  std::ofstream(top / "recipes/data.yaml") << "data";
  const auto found = program_folders("models", (top / "bin/dragoman").string());
  EXPECT_EQ(found, (std::vector<std::string>{expected[0], expected[1], expected[2]}));
  EXPECT_EQ(program_folders("models", (top / "dragoman").string()), (std::vector<std::string>{expected[2]})) << "once";
}

TEST_F(ReadyModels, AreChosenByTheLanguagesAskedFor) {
  for (const char* const name : {"de-en.safetensors", "en-de.safetensors", "fr-de.safetensors"}) add(name);
  EXPECT_EQ(ready_model("", "", folders()).languages.show(), "en-de") << "from English if nothing is asked for";
  EXPECT_EQ(ready_model("", "de", folders()).languages.show(), "en-de");
  EXPECT_EQ(ready_model("fr", "", folders()).languages.show(), "fr-de");
  EXPECT_EQ(ready_model("", "en", folders()).languages.show(), "de-en");
  for (const char* const code : {"EN", "en-US", "en_GB", "eng"})
    EXPECT_EQ(ready_model("", code, folders()).languages.show(), "de-en") << code;
  EXPECT_EQ(ready_model("de_DE", "EN", folders()).languages.show(), "de-en");
  EXPECT_THROW(ready_model("en", "fr", folders()), Error);
  EXPECT_THROW(ready_model("", "", {}), Error);
}

}  // namespace
}  // namespace dragoman::run
