#include "recipe/recipe.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/join.h"
#include "base/program_files.h"
#include "base/yaml.h"
#include "eval/bleu_tokenizers.h"
#include "recipe/yaml_map.h"
#include "run/evaluation.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr const char* kModel = "{system}/run/model.safetensors";
constexpr const char* kTranslate = "translate --model {model} --input {input} --output {output}";
constexpr const char* kScore = "score --model {model} {input} {reference} --summary --json";
// A recipe that a person can read has some dozens of systems; its texts may stand for more than its file has.
constexpr std::size_t kMostSystems = 200, kLongestText = 1 << 16;
constexpr int kMany = 100'000;

const Names kTrainingValues = {"seconds", "updates",    "epochs",          "parameters",
                               "loss",    "perplexity", "last.perplexity", "seconds-per-update"};

[[noreturn]] void fail_unknown(const char* what, const std::string& word, const Names& known) {
  const std::string near = nearest(word, known);
  fail("there is no {} '{}' in this recipe{}", what, excerpt(word),
       near.empty() ? "" : "; did you mean '" + near + "'?");
}

template <class T>
const T& find_or_fail(const std::vector<T>& list, const std::string& name, const char* what) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
  if (at == list.end()) fail_unknown(what, name, names_of(list));
  return *at;
}

// Names become names of files and of placeholders and, before a dot, parts of values such as wmt.bleu.
void check_name(const std::string& name, const std::string& where) {
  constexpr std::size_t kLongestName = 100;
  const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  check(!name.empty() && name.size() <= kLongestName && is_plain,
        "{}: '{}' cannot be a name; expected at most {} letters, digits, '-', '_' and '+'", where, excerpt(name),
        kLongestName);
}

// Downloads are written to these paths.
void check_below(const std::string& path, const std::string& where) {
  const fs::path parts(path);
  check(!path.empty() && parts.is_relative() && std::find(parts.begin(), parts.end(), "..") == parts.end(),
        "{}: '{}' must be the name of a file, which does not lead out of its folder", where, excerpt(path));
}

// The files of `folders` that a pattern such as europarl/train?.de.gz matches.
std::vector<DataFolder> select_data(const std::vector<DataFolder>& folders, const Names& patterns,
                                    const std::string& where) {
  check(patterns.empty() || !folders.empty(),
        "{}: 'data' names files that data.yaml declares, but there is no data.yaml a folder up, or it declares none; "
        "leave 'data' out for files of your own",
        where);
  Names files;
  for (const DataFolder& folder : folders)
    for (const auto& [name, sha256] : folder.files) files.push_back(folder.name + "/" + name);
  const Names chosen = with_place(where, [&] { return select(files, patterns, "file of data.yaml"); });
  std::vector<DataFolder> selected = folders;
  for (DataFolder& folder : selected)
    std::erase_if(folder.files, [&](const auto& file) {
      return std::find(chosen.begin(), chosen.end(), folder.name + "/" + file.first) == chosen.end();
    });
  std::erase_if(selected, [](const DataFolder& folder) { return folder.files.empty(); });
  return selected;
}

class RecipeReader {
 public:
  RecipeReader(YamlMap& map, Recipe& recipe) : map_(map), recipe_(recipe) {}

  void read(const std::vector<DataFolder>& folders) {
    recipe_.title = map_.text("title", recipe_.name);
    recipe_.about = map_.text("about");
    recipe_.source = map_.text("source");
    read_texts();
    recipe_.data = select_data(folders, map_.texts("data"), map_.where());
    recipe_.flags = flags(map_);
    recipe_.prepare = commands(map_, "prepare");
    map_.each("tests", [this](const std::string& name, YamlMap& entry) { read_test(name, entry); });
    map_.each("groups", [this](const std::string& name, YamlMap& entry) { read_group(name, entry); });
    map_.each("systems", [this](const std::string& name, YamlMap& entry) { read_system(name, entry); });
    check(!recipe_.systems.empty(), "{}: the recipe has no systems", map_.where());
    check(recipe_.systems.size() <= kMostSystems, "{}: a recipe can have at most {} systems", map_.where(),
          kMostSystems);
    for (const YAML::Node& node : map_.elements("tables")) {
      YamlMap entry(node, map_.where() + ": tables");
      read_table(entry);
    }
    map_.each("figures", [this](const std::string& name, YamlMap& entry) { read_figure(name, entry); });
    read_miniature();
    map_.finish();
    check_values();
  }

 private:
  void read_texts() {
    for (const auto& [name, node] : map_.entries("texts")) {
      check_name(name, map_.where() + ": texts");
      texts_.emplace_back("{" + name + "}", written_out(node, map_.where() + ": texts: " + name));
    }
  }

  // A text, or several that are joined, with the texts that the recipe names.
  std::string written_out(const YAML::Node& node, const std::string& where) {
    std::string text =
        node.IsScalar() ? node.Scalar() : with_place(where, [&] { return join(plain_values(node), " "); });
    for (const auto& [name, value] : texts_) {
      eval::replace_all(text, name, value);
      check(text.size() <= kLongestText, "{}: more than {} bytes with the texts that it names", where, kLongestText);
    }
    return text;
  }

  // The same in a group, whose languages are known.
  std::string written_out(const YAML::Node& node, const std::string& where, const std::string& group) {
    std::string text = written_out(node, where);
    if (const auto known = languages_.find(group); known != languages_.end()) {
      eval::replace_all(text, "{from}", known->second.first);
      eval::replace_all(text, "{to}", known->second.second);
    }
    return text;
  }

  std::string command(YamlMap& map, const char* key, const std::string& otherwise = {}, const std::string& group = {}) {
    return written_out(YAML::Node(map.texts(key).empty() ? otherwise : join(map.texts(key), " ")), map.where(), group);
  }

  Names commands(YamlMap& map, const char* key, const std::string& group = {}) {
    Names list;
    for (const YAML::Node& element : map.elements(key))
      list.push_back(written_out(element, map.where() + ": " + key, group));
    return list;
  }

  Flags flags(YamlMap& map, const std::string& group = {}) {
    Flags flags;
    for (const auto& [command, node] : map.entries("flags"))
      flags.emplace_back(command, written_out(node, map.where() + ": flags: " + command, group));
    return flags;
  }

  // The test sets or systems that `key` selects; by default all.
  template <class T>
  Names chosen(YamlMap& map, const char* key, const std::vector<T>& all, const char* what) {
    const Names patterns = map.texts(key);
    return with_place(map.where(),
                      [&] { return patterns.empty() ? names_of(all) : select(names_of(all), patterns, what); });
  }

  void read_test(const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    TestSet test{.name = name,
                 .title = entry.text("title", name),
                 .source = entry.text("source"),
                 .reference = entry.text("reference"),
                 .from = entry.text("from"),
                 .to = entry.text("to"),
                 .translate = entry.text("translate"),
                 .metrics = entry.texts("metrics"),
                 .perplexity = entry.flag("perplexity")};
    entry.finish();
    if (test.metrics.empty()) test.metrics = {"bleu", "chrf"};
    check(!test.source.empty() && !test.reference.empty(), "{}: expected 'source' and 'reference'", entry.where());
    with_place(entry.where(), [&] {
      for (const std::string& metric : test.metrics) select(run::metric_names(), {metric}, "metric");
    });
    recipe_.tests.push_back(std::move(test));
  }

  void read_group(const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    if (entry.has("from") || entry.has("to")) languages_[name] = {entry.text("from"), entry.text("to")};
    recipe_.groups.push_back({.name = name,
                              .title = entry.text("title", name),
                              .flags = flags(entry, name),
                              .tests = chosen(entry, "tests", recipe_.tests, "test set")});
  }

  void read_system(const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    System system;
    system.name = name;
    system.where = entry.where();
    system.title = entry.text("title", name);
    system.group = entry.text("group");
    system.year = entry.integer("year", 0, 0, kMany);
    const std::string train = command(entry, "train", {}, system.group);
    system.steps = commands(entry, "steps", system.group);
    system.model = entry.text("model", kModel);
    system.translate = command(entry, "translate", kTranslate, system.group);
    system.score = command(entry, "score", kScore, system.group);
    system.tests = chosen(entry, "tests", recipe_.tests, "test set");
    for (const auto& [value, number] : entry.entries("published"))
      system.published[value] = with_place(entry.where() + ": published", [&, own = number] {
        return text_value::parse_number(own.IsScalar() ? own.Scalar() : "");
      });
    entry.finish();
    const Group* const group = with_place(entry.where(), [&] { return recipe_.group_of(system); });
    if (group != nullptr && !entry.has("tests")) system.tests = group->tests;
    check(entry.has("train") != entry.has("steps"),
          "{}: expected either 'train', the flags of one training run, or 'steps'; an empty list of steps if the "
          "system only combines others",
          entry.where());
    if (entry.has("train")) system.steps = {"train " + train};
    recipe_.systems.push_back(std::move(system));
  }

  void read_table(YamlMap& entry) {
    Table table{.title = entry.text("title"),
                .note = entry.text("note"),
                .systems = chosen(entry, "systems", recipe_.systems, "system"),
                .columns = {},
                .baseline = entry.text("baseline")};
    entry.each(
        "columns",
        [&](const std::string& value, YamlMap& column) {
          table.columns.push_back({value, column.text("title", value), column.integer("digits", 2, 0, 10)});
        },
        "title");
    entry.finish();
    if (!table.baseline.empty()) with_place(entry.where(), [&] { recipe_.system(table.baseline); });
    recipe_.tables.push_back(std::move(table));
  }

  void read_figure(const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    Figure figure;
    figure.name = name;
    figure.where = entry.where();
    figure.kind = entry.choice("kind", figure.kind);
    figure.title = entry.text("title", name);
    figure.note = entry.text("note");
    figure.systems = chosen(entry, "systems", recipe_.systems, "system");
    figure.value = entry.text("value");
    figure.x = entry.text("x");
    figure.logarithmic = entry.flag("logarithmic");
    figure.test = entry.text("test");
    figure.gold = entry.text("gold");
    figure.sentence = entry.integer("sentence", 1, 1, kMany);
    figure.sentences = entry.integer("sentences", 3, 1, 100);
    figure.values = entry.texts("values");
    for (const auto& [title, node] : entry.entries("rows"))
      figure.rows.emplace_back(title, written_out(node, entry.where() + ": rows"));
    entry.finish();
    if (!figure.test.empty()) with_place(entry.where(), [&] { recipe_.test(figure.test); });
    recipe_.figures.push_back(std::move(figure));
  }

  void read_miniature() {
    YamlMap entry = map_.part("miniature");
    recipe_.miniature = {.sentences = entry.integer("sentences", 300, 1, kMany),
                         .flags = flags(entry),
                         .systems = chosen(entry, "systems", recipe_.systems, "system")};
    entry.finish();
  }

  // A value is one of training or of the model, or TEST.METRIC of a test set that measures it (recipe.h, Column).
  void check_value(const std::string& value) const {
    const std::size_t dot = value.find('.');
    check(dot != std::string::npos, "there is no value '{}'; expected TEST.METRIC, such as {}.bleu, or train.seconds",
          excerpt(value), recipe_.tests.empty() ? "test" : recipe_.tests[0].name);
    const std::string of = value.substr(0, dot), what = value.substr(dot + 1);
    Names measured = of == "train" ? kTrainingValues : of == "model" ? Names{"bytes"} : recipe_.test(of).metrics;
    if (of != "train" && of != "model")
      measured.insert(measured.end(), {"seconds", "perplexity", "perplexity-per-word", "chrfpp"});
    if (std::find(measured.begin(), measured.end(), what) == measured.end())
      fail("there is no value '{}'; '{}' measures {}", excerpt(value), of, join(measured, ", "));
  }

  void check_values() const {
    with_place(map_.where(), [&] {
      for (const System& system : recipe_.systems)
        for (const auto& [value, number] : system.published) check_value(value);
      for (const Table& table : recipe_.tables)
        for (const Column& column : table.columns) check_value(column.value);
    });
    for (const Figure& figure : recipe_.figures)
      if (figure.kind == FigureKind::bars) with_place(figure.where, [&] { check_value(figure.value); });
  }

  YamlMap& map_;
  Recipe& recipe_;
  std::vector<std::pair<std::string, std::string>> texts_;                // placeholder, text
  std::map<std::string, std::pair<std::string, std::string>> languages_;  // of groups: from, to
};

}  // namespace

const System& Recipe::system(const std::string& which) const { return find_or_fail(systems, which, "system"); }
const TestSet& Recipe::test(const std::string& which) const { return find_or_fail(tests, which, "test set"); }

const Group* Recipe::group_of(const System& system) const {
  return system.group.empty() ? nullptr : &find_or_fail(groups, system.group, "group");
}

Names select(const Names& names, const Names& patterns, const char* what) {
  Names chosen;
  for (const std::string& pattern : patterns) {
    bool is_used = false;
    for (const std::string& name : names) {
      if (fnmatch(pattern.c_str(), name.c_str(), 0) != 0) continue;
      is_used = true;
      if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
    }
    if (!is_used) fail_unknown(what, pattern, names);
  }
  return chosen;
}

std::vector<DataFolder> parse_data(const std::string& text, const std::string& where) {
  std::vector<DataFolder> folders;
  YamlMap map(load_yaml(text, where), where);
  map.each("data", [&](const std::string& name, YamlMap& entry) {
    check_below(name, entry.where());
    DataFolder folder{.name = name,
                      .about = entry.text("about"),
                      .licence = entry.text("licence"),
                      .url = entry.text("url"),
                      .files = {}};
    for (const auto& [file, sha256] : entry.entries("files")) {
      check_below(file, entry.where());
      check(sha256.IsScalar() && sha256.Scalar().size() == 64, "{}: {}: expected a SHA-256 of 64 hexadecimal digits",
            entry.where(), excerpt(file));
      folder.files.emplace_back(file, sha256.Scalar());
    }
    folders.push_back(std::move(folder));
  });
  map.finish();
  return folders;
}

Recipe parse_recipe(const std::string& text, const std::string& where, const std::string& name,
                    const std::vector<DataFolder>& folders) {
  Recipe recipe;
  recipe.name = name;
  YamlMap map(load_yaml(text, where), where);
  RecipeReader(map, recipe).read(folders);
  return recipe;
}

Recipe read_recipe(const std::string& path) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "recipe.yaml" : fs::path(path);
  const fs::path folder = fs::weakly_canonical(file).parent_path(), data = folder.parent_path() / "data.yaml";
  check(fs::exists(file), "{}: there is no recipe here; expected a folder with recipe.yaml", path);
  Recipe recipe =
      parse_recipe(read_file(file.string()), file.string(), folder.filename().string(),
                   fs::exists(data) ? parse_data(read_file(data.string()), data.string()) : std::vector<DataFolder>());
  recipe.folder = file.parent_path().string();
  return recipe;
}

Names recipe_folders() {
  Names folders = program_folders("recipes");
  if (fs::is_directory("recipes")) folders.insert(folders.begin(), "recipes");
  return folders;
}

Names recipes_in(const std::string& folder) {
  check(fs::is_directory(folder), "{}: expected a folder of recipes", folder);
  Names names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "recipe.yaml")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_recipe(const std::string& name) {
  if (fs::exists(name)) return name;
  Names known;
  for (const std::string& folder : recipe_folders()) {
    if (fs::exists(fs::path(folder) / name / "recipe.yaml")) return (fs::path(folder) / name).string();
    const Names own = recipes_in(folder);
    known.insert(known.end(), own.begin(), own.end());
  }
  const std::string near = nearest(name, known);
  fail("there is no recipe '{}'; {}", name,
       near.empty() ? "expected a folder with recipe.yaml, or one of " + join(known, ", ")
                    : "did you mean '" + near + "'?");
}

}  // namespace dragoman::recipe
