#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/options.h"
#include "recipe/cost.h"

// A recipe: an experiment as a file. It names data, systems, test sets, tables and figures; every step of it is a
// dragoman command. Commands are written without the word `dragoman` and may contain placeholders in braces:
//
//   {data}          the folder of the data
//   {work}          the folder of files that `prepare` makes
//   {system}        the folder of the system the command belongs to
//   {systems/NAME}  the folder of another system
//   {model}         the system's model file
//   {input} {reference} {output}   of a test set, or of a row of a figure
//   {to} {from}     languages of a group or of a test set
//   {value}         the current value of a sweep
//   {figure}        the folder of the figure the command belongs to
//
// Lists that the recipe names are placeholders, too; they are written out when it is read (lists.h).
//
// A command that should write {output} but does not mention it prints its result to standard output, which becomes the
// {output}. Commands may end in `> FILE`.
namespace dragoman::recipe {

struct DataFile {
  std::string name, sha256;
  std::string url;  // empty: the folder's URL followed by the name
};

// Files under {data}/NAME.
struct DataFolder {
  std::string name, about, licence;
  std::string url;  // where the files can be downloaded; empty if they cannot
  std::vector<DataFile> files;
};

// Flags for commands: command name -> flags, in the order of the file.
using Flags = std::vector<std::pair<std::string, std::string>>;

// Languages for the placeholders {from} and {to}; empty: not given.
struct Languages {
  std::string from, to;
};

// A command that runs once, before the systems, unless the files it makes exist.
struct Preparation {
  std::string command;
  std::vector<std::string> makes;  // files in {work}
  Cost cost;
  std::string where;  // in the recipe, for errors
};

// Sentences that systems translate, with their references.
struct TestSet {
  std::string name, title;
  std::string source, reference;     // paths, with placeholders
  std::string from, to;              // languages, for systems that need to be told
  std::string translate;             // flags of `dragoman translate`, after those of the systems
  std::vector<std::string> metrics;  // of `dragoman evaluate`
  bool perplexity = false;           // also measure the perplexity of the references
  int attention = 0;                 // keep the attention of this many sentences for the report
};

// Systems that share data and test sets, and a table of their own.
struct Group {
  std::string name, title;
  Languages languages;  // in its flags and in the commands of its systems
  Flags flags;
  std::vector<std::string> tests;  // empty: all
  Cost cost;                       // of each of its systems that states none
};

struct System {
  std::string name, title;
  std::string group;                        // may be empty
  int year = 0;                             // of its invention; 0: not given
  std::vector<std::string> needs;           // systems that must be finished before
  std::vector<std::string> steps;           // commands that make the model
  std::string model;                        // path; by default {system}/run/model.safetensors
  std::string translate;                    // command that translates {input} to {output}
  std::string score;                        // command that prints the perplexity of {reference}; empty: there is none
  std::vector<std::string> tests;           // empty: those of the group
  std::map<std::string, double> published;  // value -> number, e.g. wmt.bleu -> 10.77
  int seed = 0;                             // 0: that of the flags
  Cost cost;                                // of all its commands
  std::string where;                        // in the recipe, for errors
};

// A column of a table: a value of every system.
//   TEST.METRIC          wmt.bleu, wmt.chrf, wmt.perplexity
//   TEST.seconds         time of translating the test set
//   train.seconds        of the training steps; also train.updates, train.epochs, train.parameters,
//   train.loss           mean training loss at the end
//   train.perplexity     best validation perplexity; train.last.perplexity: the last one
//   train.seconds-per-update
struct Column {
  std::string value, title;
  int digits = 2;
};

struct Table {
  std::string title, note;
  std::vector<std::string> systems;  // empty: all
  std::vector<Column> columns;
  std::string baseline;  // system that differences are tested against; empty: none
};

enum class FigureKind { curves, bars, sweep, scaling, alignment, statistics, tree, attention };

// One measurement of a figure.
struct Row {
  std::string title, command;
};

// What a kind of figure uses besides title, note and systems:
//   curves      value (validation.perplexity, validation.bleu, train.nll), x (update, epoch, seconds)
//   bars        value, a column's value; one bar per system, labelled with its year if it has one
//   sweep       test, values; rows with {value} and {output}: translations, scored and timed
//   scaling     rows: commands that print the JSON of `dragoman bench`
//   alignment   gold; rows that write links to {output}: alignment error rates
//   statistics  rows: commands that print the JSON of `dragoman stats`
//   tree        test, sentence: the beam of the first system for this sentence, from 1
//   attention   test: attention maps of the systems
struct Figure {
  FigureKind kind = FigureKind::curves;
  std::string name, title, note;
  std::vector<std::string> systems;  // empty: all
  std::string value, x = "update";
  bool logarithmic = false;
  std::string test, gold;
  int sentence = 1;
  std::vector<std::string> values;
  std::vector<Row> rows;
  Cost cost;
  std::string where;  // in the recipe, for errors
};

// A small stand-in for the whole recipe on the phrasebook, which needs no data.
struct Miniature {
  std::int64_t sentences = 300;
  std::vector<std::pair<std::string, std::string>> files;  // glob over FOLDER/FILE -> part of the phrasebook: train.en
  Flags flags;                                             // appended to commands
  std::vector<std::string> systems;                        // empty: all
};

struct Recipe {
  std::string name;                  // of its folder
  std::string folder;                // where it was read; empty for a text
  std::string title, about, source;  // `source`: where the published numbers come from
  Cost cost;                         // of each system that states none, nor its group
  std::vector<DataFolder> data;      // the files that the patterns under `data` select
  std::vector<Preparation> prepare;
  Flags flags;  // inserted after the name of a command, before its own flags
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
  // The test sets of a system.
  std::vector<const TestSet*> tests_of(const System& system) const;
};

// Reads FOLDER/recipe.yaml, or the file itself, and the data folders declared in data.yaml beside its folder. Unknown
// keys and unknown names are errors with file and line; a system may only need systems that come before it.
Recipe read_recipe(const std::string& path);
Recipe parse_recipe(const std::string& text, const std::string& where, const std::string& name,
                    const std::vector<DataFolder>& folders);
std::vector<DataFolder> parse_data(const std::string& text, const std::string& where);

}  // namespace dragoman::recipe

template <>
struct dragoman::EnumNames<dragoman::recipe::FigureKind> {
  using Kind = dragoman::recipe::FigureKind;
  static constexpr std::pair<Kind, const char*> list[] = {
      {Kind::curves, "curves"},   {Kind::bars, "bars"},           {Kind::sweep, "sweep"},
      {Kind::scaling, "scaling"}, {Kind::alignment, "alignment"}, {Kind::statistics, "statistics"},
      {Kind::tree, "tree"},       {Kind::attention, "attention"}};
};
