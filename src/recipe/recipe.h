#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/options.h"

// A recipe: an experiment as a file. It names data, systems, test sets, tables and figures; every step of it is a
// dragoman command. Commands are written without the word `dragoman`. They may contain alternatives in braces, as in a
// shell (command_line.h), and placeholders:
//
//   {data}          the folder of the data
//   {work}          the folder for files that `prepare` makes
//   {system}        the folder of the system the command belongs to
//   {systems/NAME}  the folder of another system
//   {model}         the system's model file
//   {input} {reference} {output}   of a test set, or of a row of a figure
//   {from} {to}     languages of a group or of a test set
//   {value}         the current value of a sweep
//   {NAME}          a text that the recipe has under `texts`
//
// A command that should write {output} but does not mention it prints its result to standard output, which becomes the
// {output}. Commands may end in `> FILE`.
namespace dragoman::recipe {

// Files under {data}/NAME.
struct DataFolder {
  std::string name, about, licence;
  std::string url;                                         // the files are at URL/FILE; empty if they are not
  std::vector<std::pair<std::string, std::string>> files;  // name, SHA-256
};

// Flags for commands: command name -> flags, in the order of the file.
using Flags = std::vector<std::pair<std::string, std::string>>;

// Sentences that systems translate, with their references.
struct TestSet {
  std::string name, title;
  std::string source, reference;     // paths, with placeholders
  std::string from, to;              // languages, for systems that need to be told
  std::string translate;             // flags of `dragoman translate`, after those of the systems
  std::vector<std::string> metrics;  // of `dragoman evaluate`
  bool perplexity = false;           // also measure the perplexity of the references
};

// Systems that share flags and test sets.
struct Group {
  std::string name, title;
  Flags flags;
  std::vector<std::string> tests;
};

struct System {
  std::string name, title;
  std::string group;                        // may be empty
  int year = 0;                             // of its invention; 0: not given
  std::vector<std::string> steps;           // commands that make the model
  std::string model;                        // path
  std::string translate;                    // command that translates {input} to {output}
  std::string score;                        // command that prints the perplexity of {reference}; empty: there is none
  std::vector<std::string> tests;           // names of test sets
  std::map<std::string, double> published;  // value -> number, e.g. wmt.bleu -> 10.77
  std::string where;                        // in the recipe, for errors
};

// A column of a table: a value of every system.
//   TEST.METRIC          wmt.bleu, wmt.chrf, wmt.perplexity
//   TEST.seconds         time of translating the test set
//   train.seconds        of the training steps; also train.updates, train.epochs, train.parameters,
//   train.loss           mean training loss of the last epoch
//   train.perplexity     best validation perplexity; train.last.perplexity: the last one
//   train.seconds-per-update
//   model.bytes
struct Column {
  std::string value, title;
  int digits = 2;
};

struct Table {
  std::string title, note;
  std::vector<std::string> systems;
  std::vector<Column> columns;
  std::string baseline;  // system that differences are tested against; empty: none
};

enum class FigureKind { curves, bars, sweep, scaling, alignment, statistics, tree, attention };

// What a kind of figure uses besides title, note and systems:
//   curves      value (validation.perplexity, validation.bleu, train.nll), x (update, epoch, seconds)
//   bars        value, a column's value; one bar per system, labelled with its year if it has one
//   sweep       test, values; rows with {value} and {output}: translations, scored and timed
//   scaling     rows: commands that print the JSON of `dragoman bench`
//   alignment   gold; rows that write links to {output}: alignment error rates
//   statistics  rows: commands that print the JSON of `dragoman stats`
//   tree        test, sentence: the beam of the first system for this sentence, from 1
//   attention   test, sentences: attention maps of the systems for so many sentences
struct Figure {
  FigureKind kind = FigureKind::curves;
  std::string name, title, note;
  std::vector<std::string> systems;
  std::string value, x;
  bool logarithmic = false;
  std::string test, gold;
  int sentence = 1, sentences = 1;
  std::vector<std::string> values;
  std::vector<std::pair<std::string, std::string>> rows;  // title, command
  std::string where;                                      // in the recipe, for errors
};

// A small stand-in for the whole recipe on the phrasebook, which needs no data.
struct Miniature {
  int sentences = 300;
  Flags flags;  // replace those of commands
  std::vector<std::string> systems;
};

struct Recipe {
  std::string name;                  // of its folder
  std::string folder;                // where it was read; empty for a text
  std::string title, about, source;  // `source`: where the published numbers come from
  std::vector<DataFolder> data;      // the files that the patterns under `data` select
  std::vector<std::string> prepare;  // commands that run once, before the systems
  Flags flags;                       // inserted after the name of a command, before its own flags
  std::vector<TestSet> tests;
  std::vector<Group> groups;
  std::vector<System> systems;
  std::vector<Table> tables;
  std::vector<Figure> figures;
  Miniature miniature;

  const System& system(const std::string& which) const;
  const TestSet& test(const std::string& which) const;
  // Null for a system without a group.
  const Group* group_of(const System& system) const;
};

// Reads FOLDER/recipe.yaml, or the file itself, and the data folders declared in data.yaml beside its folder. Unknown
// keys and unknown names are errors with file and line.
Recipe read_recipe(const std::string& path);
Recipe parse_recipe(const std::string& text, const std::string& where, const std::string& name,
                    const std::vector<DataFolder>& folders);
std::vector<DataFolder> parse_data(const std::string& text, const std::string& where);

// The names that match one of the patterns, such as en-de-*, in the order of the patterns. Throws for a pattern that
// matches none; `what` says what the names are of.
std::vector<std::string> select(const std::vector<std::string>& names, const std::vector<std::string>& patterns,
                                const char* what);
template <class T>
std::vector<std::string> names_of(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& entry : list) names.push_back(entry.name);
  return names;
}

// Folders that may hold recipes: ./recipes, then those that come with the program. Only folders that exist.
std::vector<std::string> recipe_folders();
// The names of the recipes in a folder, sorted.
std::vector<std::string> recipes_in(const std::string& folder);
// The path of a recipe that is given as a path or as the name of a folder in recipe_folders().
std::string find_recipe(const std::string& name);

}  // namespace dragoman::recipe

template <>
struct dragoman::EnumNames<dragoman::recipe::FigureKind> {
  using Kind = dragoman::recipe::FigureKind;
  static constexpr std::pair<Kind, const char*> list[] = {
      {Kind::curves, "curves"},   {Kind::bars, "bars"},           {Kind::sweep, "sweep"},
      {Kind::scaling, "scaling"}, {Kind::alignment, "alignment"}, {Kind::statistics, "statistics"},
      {Kind::tree, "tree"},       {Kind::attention, "attention"}};
};
