#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/line_reader.h"
#include "dragoman/translator.h"

namespace dragoman::run {

// The files that requests are read from. An empty name means no file.
struct RequestFiles {
  std::string input = "-";    // lines to translate, plain or gzip; "-" is stdin
  std::string terms = "";     // lines "source term<TAB>target term", for all requests
  std::string banned = "";    // one word per line, for all requests
  std::string prefixes = "";  // a prefix per line of the input
};

// Reads lines as requests. Replaces bytes that are not UTF-8, with a warning.
class RequestReader {
 public:
  explicit RequestReader(const RequestFiles& files);

  // False at the end of the input.
  bool next(Request& request);

 private:
  data::LineReader lines_;
  std::vector<std::pair<std::string, std::string>> terms_;
  std::vector<std::string> banned_, prefixes_;
  bool has_prefixes_;
};

}  // namespace dragoman::run
