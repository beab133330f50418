#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/line_reader.h"
#include "dragoman/translator.h"
#include "run/term_list.h"

namespace dragoman::run {

// The maximum length of a line to translate, in bytes: several times a long novel. Beyond it, a missing line end is
// likelier than text, and a line and its translation are in memory as a whole.
constexpr std::int64_t kUsualLineBytes = std::int64_t{16} << 20;

// The files that requests are read from. An empty name means no file.
struct RequestFiles {
  std::string input = "-";    // lines to translate, plain or gzip; "-" is stdin
  std::string terms = "";     // lines "source term<TAB>target term", for all requests
  std::string banned = "";    // one word per line, for all requests
  std::string prefixes = "";  // a prefix per line of the input
  std::int64_t max_line_bytes = kUsualLineBytes;
};

// Throws Error if a file that belongs to the input line by line cannot be opened or has another number of lines. Only
// regular files can be read twice; of others nothing is known before they are read.
void check_line_counts(const std::string& input, const std::string& other);
// Throws Error if the input has fewer lines than `line`, with the same exception.
void check_has_line(const std::string& input, std::uint64_t line);

// Reads a regular file to its end. Throws Error if it cannot be read or a line is longer than allowed: that takes much
// less time than translating what comes before.
void check_readable(const std::string& input, std::int64_t max_line_bytes);

// Terms and banned words for all requests.
class SharedConstraints {
 public:
  // Reads the files of RequestFiles.
  SharedConstraints(const std::string& terms, const std::string& banned);

  // Adds the banned words, and the terms that the text contains.
  void add_to(Request& request) const;
  // A request without text that has all of them.
  Request all() const;

 private:
  TermList terms_;
  std::vector<std::string> banned_;
};

// Reads lines as requests. Replaces bytes that are not UTF-8, with a warning. Throws Error if a line is longer than
// allowed.
class RequestReader {
 public:
  // Throws Error at once if the files contradict each other, as far as it can be seen before reading the input.
  explicit RequestReader(const RequestFiles& files);

  // A request without text that has all terms, all banned words and, if there is a file of prefixes, a prefix, to find
  // out before the first line whether a translator supports them.
  Request constraints() const;
  // False at the end of the input.
  bool next(Request& request);

 private:
  void read_prefix(Request& request, std::uint64_t line);

  data::LineReader lines_;
  SharedConstraints shared_;
  std::optional<data::LineReader> prefixes_;
};

}  // namespace dragoman::run
