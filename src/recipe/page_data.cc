#include "recipe/page_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "data/text_file.h"
#include "eval/bleu_tokenizers.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSentences = 3000;  // of a test set, so that the page stays small

void keep(const std::string& declared, const std::string& copy, const Folder& folder, const std::string& data) {
  std::string path = declared;
  eval::replace_all(path, "{data}", data);
  eval::replace_all(path, "{work}", folder.work());
  if (!fs::is_regular_file(path)) return;
  if (fs::exists(copy) && fs::last_write_time(copy) >= fs::last_write_time(path)) return;
  fs::create_directories(fs::path(copy).parent_path());
  AtomicFile file(copy);
  for (const std::string& line : data::read_lines(path)) file.write(line + "\n");
  file.commit();
}

std::vector<std::string> first_lines(const std::string& path) {
  if (!fs::exists(path)) return {};
  std::vector<std::string> lines = data::read_lines(path);
  if (lines.size() > kMostSentences) lines.resize(kMostSentences);
  return lines;
}

std::string element(const std::string& id, const Json& value) {
  return "<script type='application/json' id='" + id + "'>" + script_json(value) + "</script>\n";
}

// Weights in thousandths, which are short.
Json thousandths(const Json& rows) {
  Json all = Json::array();
  for (const Json& row : rows) {
    Json whole = Json::array();
    for (const Json& weight : row) whole.push_back(static_cast<int>(std::lround(1000 * weight.get<double>())));
    all.push_back(std::move(whole));
  }
  return all;
}

// The sentences of `translate --json` whose best translation has attention weights.
Json attention_of(const std::string& path) {
  Json sentences = Json::array();
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    const Json line = Json::parse(text, nullptr, false);
    check(line.is_object() && line.contains("translations"),
          "{}: not the output of `dragoman translate --json`; remove it", path);
    if (line.at("translations").empty()) continue;
    const Json& best = line.at("translations")[0];
    if (!best.contains("attention")) continue;
    Json sentence = {{"n", line.at("line")},
                     {"source", line.at("source_tokens")},
                     {"output", best.at("tokens")},
                     {"weights", thousandths(best.at("attention"))}};
    if (best.contains("past_attention")) sentence["past"] = thousandths(best.at("past_attention"));
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace

void keep_test_sets(const Recipe& recipe, const Folder& folder, const std::string& data) {
  for (const TestSet& test : recipe.tests) {
    keep(test.source, folder.source(test.name), folder, data);
    keep(test.reference, folder.reference(test.name), folder, data);
  }
}

std::string page_data(const PageResults& results) {
  const Folder& folder = results.folder();
  std::string html;
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
      html += element(own_id, weights);
    }
    if (systems.empty()) continue;
    html += element(id, {{"source", first_lines(folder.source(test.name))},
                         {"reference", first_lines(folder.reference(test.name))},
                         {"systems", systems}});
    tests.push_back(
        {{"title", test.title}, {"id", id}, {"from", test.from}, {"to", test.to}, {"attention", attention}});
  }
  return html + element("tests", tests);
}

std::string script_json(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  eval::replace_all(text, "<", "\\u003c");
  return text;
}

}  // namespace dragoman::recipe
