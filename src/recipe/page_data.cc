#include "recipe/page_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "data/line_reader.h"
#include "data/utf8.h"
#include "eval/bleu_tokenizers.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using report::Json;

constexpr std::size_t kMostSentences = 3000;  // of a test set, so that the page stays small

// The first lines of a file; none if there is no file. Invalid UTF-8 is replaced.
std::vector<std::string> first_lines(const std::string& path, std::size_t most = kMostSentences) {
  if (!fs::exists(path)) return {};
  data::LineReader reader(data::open_bytes(path));
  std::vector<std::string> lines;
  for (data::Line line; lines.size() < most && reader.next(line);)
    lines.push_back(data::replace_invalid_utf8(line.text));
  return lines;
}

void keep(const std::string& declared, const std::string& copy, const Folder& folder, const std::string& data) {
  std::string path = declared;
  eval::replace_all(path, "{data}", data);
  eval::replace_all(path, "{work}", folder.work());
  if (!fs::is_regular_file(path)) return;
  if (fs::exists(copy) && fs::last_write_time(copy) >= fs::last_write_time(path)) return;
  fs::create_directories(fs::path(copy).parent_path());
  AtomicFile file(copy);
  for (const std::string& line : first_lines(path, SIZE_MAX)) file.write(line + "\n");
  file.commit();
}

std::string element(const std::string& id, const Json& value) {
  return "<script type='application/json' id='" + id + "'>" + script_json(value) + "</script>\n";
}

// Weights in thousandths, which are short; 0 for those that are not finite.
Json thousandths(const Json& rows) {
  Json all = Json::array();
  for (const Json& row : rows.get_ref<const Json::array_t&>()) {
    Json whole = Json::array();
    for (const Json& weight : row.get_ref<const Json::array_t&>())
      whole.push_back(weight.is_null() ? 0 : static_cast<int>(std::lround(1000 * weight.get<double>())));
    all.push_back(std::move(whole));
  }
  return all;
}

// Adds a line of `translate --json` if its best translation has attention weights.
void add_attention(const Json& line, Json& sentences) {
  const auto& translations = line.at("translations").get_ref<const Json::array_t&>();
  if (translations.empty() || !translations[0].contains("attention")) return;
  using Words = std::vector<std::string>;
  const Json& best = translations[0];
  Json sentence = {{"n", line.at("line").get<std::int64_t>()},
                   {"source", line.at("source_tokens").get<Words>()},
                   {"output", best.at("tokens").get<Words>()},
                   {"weights", thousandths(best.at("attention"))}};
  if (best.contains("past_attention")) sentence["past"] = thousandths(best.at("past_attention"));
  sentences.push_back(std::move(sentence));
}

// The sentences of `translate --json` whose best translation has attention weights.
Json attention_of(const std::string& path) {
  Json sentences = Json::array();
  std::ifstream file(path);
  return report::reading(path, "the output of `dragoman translate --json`", [&] {
    for (std::string text; std::getline(file, text);) add_attention(parse_json<Json>(text, path), sentences);
    return sentences;
  });
}

}  // namespace

void keep_test_sets(const Recipe& recipe, const Folder& folder, const std::string& data) {
  for (const TestSet& test : recipe.tests) {
    keep(test.source, folder.source(test.name), folder, data);
    keep(test.reference, folder.reference(test.name), folder, data);
  }
}

PageData page_data(const PageResults& results) {
  const Folder& folder = results.folder();
  PageData made;
  Json tests = Json::array();
  for (std::size_t t = 0; t < results.recipe().tests.size(); ++t) {
    const TestSet& test = results.recipe().tests[t];
    const std::string id = "test" + std::to_string(t);
    Json systems = Json::array(), attention = Json::array();
    for (std::size_t s = 0; s < results.recipe().systems.size(); ++s) {
      const System& system = results.recipe().systems[s];
      const std::string output = folder.output(system.name, test.name);
      if (results.finished(system.name) == nullptr || !fs::exists(output)) continue;
      systems.push_back({{"name", system.name}, {"title", system.title}, {"output", first_lines(output)}});
      const Json weights = attention_of(folder.attention(system.name, test.name));
      if (weights.empty()) continue;
      const std::string own_id = fmt::format("{}-attention{}", id, s);
      attention.push_back({{"name", system.name}, {"title", system.title}, {"id", own_id}});
      made.html += element(own_id, weights);
      made.has_attention = true;
    }
    if (systems.empty()) continue;
    made.has_sentences = true;
    made.html += element(id, {{"source", first_lines(folder.source(test.name))},
                              {"reference", first_lines(folder.reference(test.name))},
                              {"systems", systems}});
    tests.push_back(
        {{"title", test.title}, {"id", id}, {"from", test.from}, {"to", test.to}, {"attention", attention}});
  }
  made.html += element("tests", tests);
  return made;
}

std::string script_json(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  eval::replace_all(text, "<", "\\u003c");
  return text;
}

}  // namespace dragoman::recipe
