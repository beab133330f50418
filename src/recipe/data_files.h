#pragma once

#include <string>
#include <vector>

#include "recipe/recipe.h"

// The declared data of a recipe.
namespace dragoman::recipe {

struct DataOptions {
  std::string directory = "data", mirror;

  template <class V>
  void visit(V& v) {
    v("data", directory, "folder of the data; a file is expected at DIR/FOLDER/FILE");
    v("mirror", mirror, "download missing files from URL/FOLDER/FILE instead of their own addresses");
  }
};

// Checks that every declared file is at directory/FOLDER/FILE with its checksum, and downloads those that are missing.
// Throws before any download if a file is damaged or can be had from nowhere; the message lists all such files.
void find_data(const std::vector<DataFolder>& folders, const DataOptions& options);

// Writes a stand-in for every declared file of a miniature to data/FOLDER/FILE, a part of the phrasebook by the file's
// name: test, valid (also dev) or train; English if one of the parts between dots is `en`, German for other languages;
// for a name with `talp`, a word alignment. Throws if the recipe reads files that it does not declare.
void write_stand_ins(const Recipe& recipe, const std::string& data);

}  // namespace dragoman::recipe
