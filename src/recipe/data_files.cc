#include "recipe/data_files.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "data/line_reader.h"
#include "data/line_writer.h"
#include "recipe/download.h"
#include "recipe/steps.h"
#include "run/phrasebook_corpus.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

struct Missing {
  std::string url, path, sha256;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string below(std::string url, const std::string& path) {
  while (url.ends_with('/')) url.pop_back();
  return url + "/" + path;
}

std::string stand_in(const std::string& file) {
  const auto has = [&](const char* part) { return file.find(part) != std::string::npos; };
  if (has("talp")) return "talp";
  const std::string part = has("test") ? "test" : has("valid") || has("dev") ? "valid" : "train";
  return part + (("." + file + ".").find(".en.") != std::string::npos ? ".en" : ".de");
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

void find_data(const std::vector<DataFolder>& folders, const DataOptions& options) {
  std::vector<Missing> missing;
  std::string problems;
  Progress progress("checking the data", 0, "bytes");
  for (const DataFolder& folder : folders)
    for (const auto& [name, declared] : folder.files) {
      const std::string own = folder.name + "/" + name, path = options.directory + "/" + own, sha256 = lower(declared);
      const std::string url = !options.mirror.empty() ? below(options.mirror, own)
                              : folder.url.empty()    ? ""
                                                      : below(folder.url, name);
      if (fs::is_regular_file(path)) {
        const std::string actual = sha256_of_file(path, [&](std::int64_t bytes) { progress.advance(bytes); });
        if (actual != sha256)
          problems += fmt::format("\n  {}: expected SHA-256 {} but got {}; replace or remove it", path, sha256, actual);
      } else if (url.empty()) {
        problems += fmt::format("\n  {}: missing", own);
      } else {
        missing.push_back({url, path, sha256});
      }
    }
  progress.finish();
  check(
      problems.empty(),
      "the data is not complete:{}\nPut missing files at {}/FOLDER/FILE, or name the folder that has them with --data "
      "DIR, or a server with --mirror URL.",
      problems, options.directory);
  for (const Missing& file : missing) {
    log::info("downloading {}", file.url);
    download(file.url, file.path, file.sha256);
  }
}

void write_stand_ins(const Recipe& recipe, const std::string& data) {
  check(!recipe.data.empty(),
        "this recipe has no miniature: it declares no files. Declare them in data.yaml and name them under 'data'");
  std::vector<std::pair<std::string, std::string>> missing;  // path, stand-in
  for (const DataFolder& folder : recipe.data)
    for (const auto& [name, sha256] : folder.files)
      if (const std::string path = fmt::format("{}/{}/{}", data, folder.name, name); !fs::exists(path))
        missing.emplace_back(path, stand_in(name));
  if (missing.empty()) return;
  constexpr int kTestSentences = 40;
  const std::string phrasebook = data + "/phrasebook";
  run::PhrasebookCorpus corpus;
  corpus.sentences = recipe.miniature.sentences;
  corpus.valid = corpus.test = kTestSentences;
  corpus.out = phrasebook;
  std::string links;
  for (int i = 0; i < kTestSentences; ++i) links += "1-1 2p2\n";
  write_text(phrasebook + ".talp", links);
  run::write_phrasebook(corpus);
  for (const auto& [path, part] : missing) write_stand_in(path, phrasebook + "." + part);
}

}  // namespace dragoman::recipe
