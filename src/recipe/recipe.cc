#include "recipe/recipe.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/join.h"
#include "base/yaml.h"
#include "recipe/lists.h"
#include "recipe/place.h"
#include "recipe/safe_command.h"
#include "recipe/yaml_map.h"
#include "run/evaluation.h"
#include "train/scores.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDigits = 10, kMostAttention = 10'000;
// Of a miniature, which should take seconds.
constexpr std::int64_t kMostStandIns = 100'000;
constexpr std::size_t kMostEntries = 200;
constexpr const char* kModel = "{system}/run/model.safetensors";
constexpr const char* kTranslate = "translate --model {model} --input {input} --output {output}";
constexpr const char* kScore = "score --model {model} {input} {reference} --summary --json";

const std::vector<std::string> kTrainingValues = {
    "train.seconds", "train.updates",    "train.epochs",          "train.parameters",
    "train.loss",    "train.perplexity", "train.last.perplexity", "train.seconds-per-update"};
const std::vector<std::string> kTrainingCurves = {"train.nll",  "train.loss",          "train.perplexity",
                                                  "train.rate", "train.gradient_norm", "train.tokens_per_second"};
const std::vector<std::string> kValidationScores = {"perplexity", "loss", "bleu", "chrf", "accuracy", "f1"};

template <class T>
const T* find(const std::vector<T>& list, const std::string& name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
  return at == list.end() ? nullptr : &*at;
}

template <class T>
const T& find_or_fail(const std::vector<T>& list, const std::string& name, const char* what) {
  if (const T* const found = find(list, name)) return *found;
  std::vector<std::string> names;
  for (const T& entry : list) names.push_back(entry.name);
  const std::string near = nearest(name, names);
  fail("there is no {} '{}' in this recipe{}", what, name, near.empty() ? "" : "; did you mean '" + near + "'?");
}

// Throws if `word` is not one of those that are known.
void check_one_of(const char* what, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  const std::string near = nearest(word, known);
  fail("there is no {} '{}'; {}", what, excerpt(word),
       near.empty() ? "expected one of " + join(known, ", ") : "did you mean '" + near + "'?");
}

// Data folders with their files: the contents of data.yaml.
std::vector<DataFolder> read_folders(YamlMap& map) {
  std::vector<DataFolder> folders;
  map.each("data", [&](const std::string& name, YamlMap& entry) {
    check_below(name, entry.where());
    DataFolder folder{.name = name, .about = {}, .licence = {}, .url = {}, .files = {}};
    entry("about", folder.about);
    entry("licence", folder.licence);
    entry("url", folder.url);
    entry.each(
        "files",
        [&](const std::string& file_name, YamlMap& file) {
          check_below(file_name, file.where());
          DataFile declared{.name = file_name, .sha256 = {}, .url = {}};
          file("sha256", declared.sha256);
          file("url", declared.url);
          check(declared.sha256.size() == 64, "{}: sha256 must have 64 hexadecimal digits", file.where());
          folder.files.push_back(declared);
        },
        "sha256");
    folders.push_back(folder);
  });
  return folders;
}

// The files of `folders` that a pattern such as europarl/train?.de.gz matches.
std::vector<DataFolder> select_data(const std::vector<DataFolder>& folders, const std::vector<std::string>& patterns,
                                    const std::string& where) {
  check(patterns.empty() || !folders.empty(),
        "{}: 'data' names files that data.yaml declares, but there is no data.yaml a folder up, or it declares none; "
        "leave 'data' out for files of your own",
        where);
  std::vector<bool> used(patterns.size());
  std::vector<DataFolder> selected;
  for (const DataFolder& folder : folders) {
    DataFolder part = folder;
    std::erase_if(part.files, [&](const DataFile& file) {
      bool matches = false;
      for (std::size_t i = 0; i < patterns.size(); ++i)
        if (fnmatch(patterns[i].c_str(), (folder.name + "/" + file.name).c_str(), 0) == 0) matches = used[i] = true;
      return !matches;
    });
    if (!part.files.empty()) selected.push_back(part);
  }
  for (std::size_t i = 0; i < patterns.size(); ++i)
    check(used[i], "{}: no file of data.yaml matches '{}'", where, patterns[i]);
  return selected;
}

void read_prepare(YamlMap& map, Lists& lists, Recipe& recipe) {
  map.each_of("prepare", [&](YamlMap& entry) {
    Preparation step;
    step.command = lists.text(entry, "command");
    entry("makes", step.makes);
    entry("cost", step.cost);
    entry.finish();
    check(!step.command.empty() && !step.makes.empty(), "{}: expected 'command' and the files it 'makes'",
          entry.where());
    for (const std::string& file : step.makes) check_below(file, entry.where() + ": makes");
    step.where = entry.where();
    recipe.prepare.push_back(step);
  });
}

void read_tests(YamlMap& map, Recipe& recipe) {
  map.each("tests", [&](const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    TestSet test;
    test.name = test.title = name;
    test.metrics = {"bleu", "chrf"};
    entry("title", test.title);
    entry("source", test.source);
    entry("reference", test.reference);
    entry("from", test.from);
    entry("to", test.to);
    entry("translate", test.translate);
    entry("metrics", test.metrics);
    entry("perplexity", test.perplexity);
    entry("attention", test.attention);
    entry.finish();
    check(!test.source.empty() && !test.reference.empty(), "{}: expected 'source' and 'reference'", entry.where());
    check(!test.metrics.empty(), "{}: expected at least one metric", entry.where());
    for (const std::string& metric : test.metrics)
      with_place(entry.where(), [&] { check_one_of("metric", metric, run::metric_names()); });
    check(test.attention >= 0 && test.attention <= kMostAttention, "{}: 'attention' must be from 0 to {}",
          entry.where(), kMostAttention);
    recipe.tests.push_back(test);
  });
}

void read_groups(YamlMap& map, Lists& lists, Recipe& recipe) {
  map.each("groups", [&](const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    Group group;
    group.name = group.title = name;
    entry("title", group.title);
    entry("from", group.languages.from);
    entry("to", group.languages.to);
    group.flags = lists.flags(entry, "flags", group.languages);
    group.tests = lists.texts(entry, "tests");
    entry("cost", group.cost);
    recipe.groups.push_back(group);
  });
}

void read_systems(YamlMap& map, Lists& lists, Recipe& recipe) {
  map.each("systems", [&](const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    System system;
    system.name = system.title = name;
    system.where = entry.where();
    entry("title", system.title);
    entry("group", system.group);
    const Group* const group = recipe.group_of(system);
    const Languages languages = group == nullptr ? Languages() : group->languages;
    entry("year", system.year);
    system.needs = lists.texts(entry, "needs");
    const std::string train = lists.text(entry, "train", languages);
    system.steps = lists.texts(entry, "steps", languages);
    system.model = lists.text(entry, "model", languages, kModel);
    system.translate = lists.text(entry, "translate", languages, kTranslate);
    system.score = lists.text(entry, "score", languages, kScore);
    system.tests = lists.texts(entry, "tests");
    entry("published", system.published);
    entry("seed", system.seed);
    system.cost = group == nullptr || group->cost.machine.empty() ? recipe.cost : group->cost;
    entry("cost", system.cost);
    entry.finish();
    check(
        entry.has("train") != entry.has("steps"),
        "{}: expected either 'train', the flags of one training run, or 'steps'; an empty list of steps if the system "
        "only combines others",
        entry.where());
    if (entry.has("train")) system.steps = {"train " + train};
    recipe.systems.push_back(system);
  });
}

void read_tables(YamlMap& map, Lists& lists, Recipe& recipe) {
  map.each_of("tables", [&](YamlMap& entry) {
    Table table;
    entry("title", table.title);
    entry("note", table.note);
    table.systems = lists.texts(entry, "systems");
    entry("baseline", table.baseline);
    entry.each(
        "columns",
        [&](const std::string& value, YamlMap& column) {
          table.columns.push_back({.value = value, .title = value});
          column("title", table.columns.back().title);
          column("digits", table.columns.back().digits);
          check(table.columns.back().digits >= 0 && table.columns.back().digits <= kMostDigits,
                "{}: 'digits' must be from 0 to {}", column.where(), kMostDigits);
        },
        "title");
    recipe.tables.push_back(table);
  });
}

// The keys that a kind of figure has besides those of all figures.
std::vector<std::string> keys_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::curves: return {"value", "x", "logarithmic"};
    case FigureKind::bars: return {"value"};
    case FigureKind::sweep: return {"test", "values", "rows", "x"};
    case FigureKind::scaling: return {"rows", "logarithmic"};
    case FigureKind::alignment: return {"gold", "rows"};
    case FigureKind::statistics: return {"rows"};
    case FigureKind::tree: return {"test", "sentence"};
    case FigureKind::attention: return {"test"};
  }
  return {};
}

// Throws if the figure has a key that only other kinds have.
void check_keys(const YamlMap& entry, FigureKind kind) {
  const std::vector<std::string> used = keys_of(kind);
  for (const auto& [other, name] : EnumNames<FigureKind>::list)
    for (const std::string& key : keys_of(other))
      check(!entry.has(key.c_str()) || std::find(used.begin(), used.end(), key) != used.end(),
            "{}: a figure of kind {} does not use '{}'; it has {}", entry.where(), name_of(kind), key,
            join(used, ", "));
}

void read_figures(YamlMap& map, Lists& lists, Recipe& recipe) {
  map.each("figures", [&](const std::string& name, YamlMap& entry) {
    check_name(name, entry.where());
    Figure figure;
    figure.name = figure.title = name;
    figure.where = entry.where();
    entry("kind", figure.kind);
    check_keys(entry, figure.kind);
    entry("title", figure.title);
    entry("note", figure.note);
    figure.systems = lists.texts(entry, "systems");
    entry("value", figure.value);
    entry("x", figure.x);
    entry("logarithmic", figure.logarithmic);
    entry("test", figure.test);
    entry("gold", figure.gold);
    entry("sentence", figure.sentence);
    check(figure.sentence > 0, "{}: 'sentence' counts from 1", entry.where());
    entry("values", figure.values);
    entry("cost", figure.cost);
    entry.each(
        "rows",
        [&](const std::string& title, YamlMap& row) {
          figure.rows.push_back({title, {}});
          figure.rows.back().command = lists.text(row, "command");
        },
        "command");
    recipe.figures.push_back(figure);
  });
}

void read_miniature(YamlMap& map, Lists& lists, Recipe& recipe) {
  map.part("miniature", [&](YamlMap& entry) {
    entry("sentences", recipe.miniature.sentences);
    entry("files", recipe.miniature.files);
    check(recipe.miniature.sentences > 0 && recipe.miniature.sentences <= kMostStandIns,
          "{}: 'sentences' must be from 1 to {}", entry.where(), kMostStandIns);
    for (const auto& [pattern, file] : recipe.miniature.files) check_below(file, entry.where() + ": files");
    recipe.miniature.flags = lists.flags(entry, "flags");
    recipe.miniature.systems = lists.texts(entry, "systems");
  });
}

// A value is one of training, of the model, or TEST.METRIC of a test set that measures it (recipe.h, Column).
void check_value(const Recipe& recipe, const std::string& value) {
  const std::size_t dot = value.find('.');
  check(dot != std::string::npos, "there is no value '{}'; expected TEST.METRIC, such as {}.bleu, or train.seconds",
        value, recipe.tests.empty() ? "test" : recipe.tests[0].name);
  const std::string of = value.substr(0, dot), what = value.substr(dot + 1);
  if (of == "train") return check_one_of("value", value, kTrainingValues);
  if (of == "model") return check_one_of("value", value, {"model.bytes"});
  const TestSet& test = recipe.test(of);
  std::vector<std::string> measured = test.metrics;
  measured.insert(measured.end(), {"seconds", "perplexity", "perplexity-per-word"});
  if (std::find(measured.begin(), measured.end(), "chrf") != measured.end()) measured.push_back("chrfpp");
  check(std::find(measured.begin(), measured.end(), what) != measured.end(),
        "the test set '{}' does not measure '{}'; expected one of {}", of, what, join(measured, ", "));
}

// Curves show what a training log has: losses, or scores of validations, which depend on --validation.metrics.
void check_curve(const std::string& value, const std::string& x) {
  const std::size_t dot = value.find('.');
  const std::string kind = value.substr(0, dot);
  check(dot != std::string::npos && (kind == "train" || kind == "validation"),
        "there is no curve '{}'; expected train.nll, or a score of validations, such as validation.perplexity",
        excerpt(value));
  if (kind == "train")
    check_one_of("curve", value, kTrainingCurves);
  else
    check_one_of("score of validations", std::string(train::metric_and_part(value.substr(dot + 1)).first),
                 kValidationScores);
  check_one_of("x", x, {"update", "epoch", "seconds"});
}

void check_figure(const Recipe& recipe, const Figure& figure) {
  if (figure.kind == FigureKind::curves) check_curve(figure.value, figure.x);
  if (figure.kind == FigureKind::bars) check_value(recipe, figure.value);
  if (!figure.test.empty()) recipe.test(figure.test);
  for (const std::string& system : figure.systems) recipe.system(system);
}

// A recipe that a person can read has some dozens of each; more would only be there to fill the memory.
void check_counts(const Recipe& recipe, const std::string& where) {
  const auto check_count = [&](const auto& list, const char* what) {
    check(list.size() <= kMostEntries, "{}: a recipe can have at most {} {}, but this one has {}", where, kMostEntries,
          what, list.size());
  };
  check_count(recipe.prepare, "commands under 'prepare'");
  check_count(recipe.tests, "test sets");
  check_count(recipe.systems, "systems");
  check_count(recipe.tables, "tables");
  check_count(recipe.figures, "figures");
}

// Every name that is used exists, and systems come after those they need.
void check_names(const Recipe& recipe) {
  for (const Group& group : recipe.groups)
    for (const std::string& test : group.tests) recipe.test(test);
  for (const System& system : recipe.systems) {
    recipe.group_of(system);
    for (const std::string& test : system.tests) recipe.test(test);
    for (const std::string& other : system.needs)
      check(&recipe.system(other) < &system, "system '{}' needs '{}', which must come before it in the list",
            system.name, other);
  }
  for (const System& system : recipe.systems)
    for (const auto& [value, number] : system.published) check_value(recipe, value);
  for (const Table& table : recipe.tables) {
    for (const Column& column : table.columns) check_value(recipe, column.value);
    if (!table.baseline.empty()) recipe.system(table.baseline);
    for (const std::string& system : table.systems) recipe.system(system);
  }
  for (const std::string& system : recipe.miniature.systems) recipe.system(system);
}

}  // namespace

const System& Recipe::system(const std::string& which) const { return find_or_fail(systems, which, "system"); }
const TestSet& Recipe::test(const std::string& which) const { return find_or_fail(tests, which, "test set"); }

const Group* Recipe::group_of(const System& system) const {
  return system.group.empty() ? nullptr : &find_or_fail(groups, system.group, "group");
}

std::vector<const TestSet*> Recipe::tests_of(const System& system) const {
  const Group* const group = group_of(system);
  const std::vector<std::string>& names = !system.tests.empty() || group == nullptr ? system.tests : group->tests;
  std::vector<const TestSet*> list;
  for (const std::string& which : names) list.push_back(&test(which));
  if (names.empty())
    for (const TestSet& set : tests) list.push_back(&set);
  return list;
}

std::vector<DataFolder> parse_data(const std::string& text, const std::string& where) {
  try {
    YamlMap map(load_yaml(text, where), where);
    std::vector<DataFolder> folders = read_folders(map);
    map.finish();
    return folders;
  } catch (const YAML::Exception& error) {
    fail("{}:{}: not valid YAML: {}", where, error.mark.line + 1, error.msg);
  }
}

Recipe parse_recipe(const std::string& text, const std::string& where, const std::string& name,
                    const std::vector<DataFolder>& folders) {
  Recipe recipe;
  recipe.name = recipe.title = name;
  try {
    YamlMap map(load_yaml(text, where), where);
    map("title", recipe.title);
    map("about", recipe.about);
    map("source", recipe.source);
    map("cost", recipe.cost);
    Lists lists(map);
    recipe.flags = lists.flags(map, "flags");
    std::vector<std::string> data;
    map("data", data);
    recipe.data = select_data(folders, data, where);
    read_prepare(map, lists, recipe);
    read_tests(map, recipe);
    read_groups(map, lists, recipe);
    read_systems(map, lists, recipe);
    read_tables(map, lists, recipe);
    read_figures(map, lists, recipe);
    read_miniature(map, lists, recipe);
    map.finish();
    check(!recipe.systems.empty(), "{}: the recipe has no systems", where);
    check_counts(recipe, where);
    with_place(where, [&] { check_names(recipe); });
    for (const Figure& figure : recipe.figures) with_place(figure.where, [&] { check_figure(recipe, figure); });
  } catch (const YAML::Exception& error) {
    fail("{}:{}: not valid YAML: {}", where, error.mark.line + 1, error.msg);
  }
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

}  // namespace dragoman::recipe
