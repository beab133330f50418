#include "recipe/miniature.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "base/join.h"
#include "data/line_reader.h"
#include "data/line_writer.h"
#include "recipe/results.h"
#include "run/phrasebook_corpus.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTestSentences = 40;
// `gold` is a word alignment that links the first words of every test pair.
const std::vector<std::string> kParts = {"train.de", "train.en", "valid.de", "valid.en", "test.de", "test.en", "gold"};

std::string stand_in(const Recipe& recipe, const std::string& file, const std::string& phrasebook) {
  const auto& files = recipe.miniature.files;
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& entry) {
    return fnmatch(entry.first.c_str(), file.c_str(), 0) == 0;
  });
  check(found != files.end(), "the recipe says no stand-in for {} in 'miniature: files'", file);
  const std::string& part = found->second;
  if (std::find(kParts.begin(), kParts.end(), part) != kParts.end()) return phrasebook + "." + part;
  const std::string own = recipe.folder + "/" + part;
  check(fs::is_regular_file(own),
        "'miniature: files' says that {} stands in for {}; expected a file beside the recipe or one of {}", part, file,
        join(kParts, ", "));
  return own;
}

// Compressed if the name ends in .gz.
void write_stand_in(const std::string& path, const std::string& from) {
  fs::create_directories(fs::path(path).parent_path());
  data::LineWriter writer(path);
  data::LineReader reader(data::open_bytes(from));
  for (data::Line line; reader.next(line);) writer.write(line.text);
  writer.commit();
}

}  // namespace

void check_miniature(const Recipe& recipe, const Plan& plan) {
  if (!recipe.data.empty()) return;
  const auto reads_data = [](const Job& job) {
    return std::any_of(job.steps.begin(), job.steps.end(),
                       [](const Step& step) { return step.recorded.find("{data}") != std::string::npos; });
  };
  check(!reads_data(plan.preparation) && std::none_of(plan.systems.begin(), plan.systems.end(), reads_data) &&
            std::none_of(plan.figures.begin(), plan.figures.end(), reads_data),
        "this recipe has no miniature: it reads files that it does not declare. Declare them in data.yaml, name them "
        "under 'data', and say under 'miniature: files' what stands in for them");
}

void write_stand_ins(const Recipe& recipe, const std::string& data) {
  const std::string phrasebook = data + "/phrasebook";
  std::vector<std::pair<std::string, std::string>> copies;  // from, to
  for (const DataFolder& folder : recipe.data)
    for (const DataFile& file : folder.files) {
      const std::string name = folder.name + "/" + file.name;
      const std::string place = fmt::format("{}/{}", data, name);
      if (!fs::exists(place)) copies.emplace_back(stand_in(recipe, name, phrasebook), place);
    }
  if (copies.empty()) return;
  fs::create_directories(data);
  run::PhrasebookCorpus corpus;
  corpus.sentences = recipe.miniature.sentences;
  corpus.valid = corpus.test = kTestSentences;
  corpus.out = phrasebook;
  run::write_phrasebook(corpus);
  std::string gold;
  for (std::int64_t i = 0; i < kTestSentences; ++i) gold += "1-1\n";
  write_text(phrasebook + ".gold", gold);
  for (const auto& [from, to] : copies) write_stand_in(to, from);
}

}  // namespace dragoman::recipe
