#pragma once

#include <string>
#include <vector>

#include "recipe/download.h"
#include "recipe/recipe.h"

// Finds the declared data of a recipe, checks it and downloads what is missing.
namespace dragoman::recipe {

struct DataOptions {
  std::string directory = "data", mirror;
  bool offline = false;
  DownloadOptions download;

  template <class V>
  void visit(V& v) {
    v("data", directory, "folder of the data; a file is expected at DIR/FOLDER/FILE");
    v("mirror", mirror, "download missing files from URL/FOLDER/FILE instead of their own addresses");
    v("offline", offline, "download nothing");
    download.visit(v);
  }
};

enum class DataState { present, damaged, downloadable, missing };

// A declared file and where it is or would be.
struct DataStatus {
  std::string name;   // FOLDER/FILE
  std::string about;  // its folder
  DataState state = DataState::missing;
  std::string path;              // of a present or damaged file
  std::string url;               // where it can be downloaded; empty if it cannot
  std::string expected, actual;  // SHA-256; `actual` only if damaged
};

// Looks all files up in options.directory and in `output`/data, where downloads go if the former is not writable.
// Checksums are computed once and remembered in `output`/data-checksums.json with size and time of the file; unless
// `remember` is set, nothing is written.
std::vector<DataStatus> look_up_data(const std::vector<DataFolder>& folders, const DataOptions& options,
                                     const std::string& output, bool remember = true);

// Returns the folder in which every declared file is FOLDER/FILE, verified: options.directory, or `output`/data, which
// then links to the files of the former. Downloads what is missing. Throws before any download if a file is damaged or
// can be had from nowhere; the message lists all such files and says what to do.
std::string find_data(const std::vector<DataFolder>& folders, const DataOptions& options, const std::string& output);

}  // namespace dragoman::recipe
