#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/words.h"
#include "text/tokenizer.h"

// What the tests of this room share.
namespace dragoman::data::testing {

// A folder that disappears with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dragoman-data-XXXXXX").string();
    check(mkdtemp(pattern.data()) != nullptr, "no temporary folder");
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
  std::string write_gzip(const std::string& name, const std::string& content) const {
    const gzFile out = gzopen(file(name).c_str(), "wb");
    gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
    gzclose(out);
    return file(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::string path_;
};

inline std::string read_all(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The message of the Error that `action` throws.
inline std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// Words are ids 4 + (number they spell), other words are unknown. Sampling repeats each token with probability
// `strength`, so that random segmentations are longer, and different.
class NumberTokenizer : public text::Tokenizer {
 public:
  explicit NumberTokenizer(std::int32_t size = 1000) : size_(size) {}

  void encode(std::string_view line, std::vector<std::int32_t>& ids) const override {
    for_each_word(line, [&](std::string_view word) { ids.push_back(id_of(word)); });
  }
  text::Encoded encode_spans(std::string_view) const override { return {}; }
  void encode_sampled(std::string_view line, double strength, Random& random,
                      std::vector<std::int32_t>& ids) const override {
    for_each_word(line, [&](std::string_view word) {
      ids.push_back(id_of(word));
      if (random.uniform() < strength) ids.push_back(id_of(word));
    });
  }
  std::string decode(std::span<const std::int32_t>) const override { return ""; }
  std::int32_t size() const override { return size_; }
  text::SpecialIds special() const override { return {}; }
  std::string piece(std::int32_t id) const override { return std::to_string(id - 4); }
  std::string serialize() const override { return "numbers " + std::to_string(size_); }

 private:
  std::int32_t id_of(std::string_view word) const {
    std::int32_t number = 0;
    for (const char c : word) {
      if (c < '0' || c > '9') return special().unknown;
      number = 10 * number + (c - '0');
    }
    return 4 + number < size_ ? 4 + number : special().unknown;
  }
  std::int32_t size_;
};

}  // namespace dragoman::data::testing
