#include "run/request_reader.h"

#include "base/error.h"
#include "base/log.h"
#include "base/quote.h"
#include "data/utf8.h"

namespace dragoman::run {
namespace {

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  if (path.empty()) return lines;
  data::LineReader reader(data::open_bytes(path), data::kNoLineLimit);
  for (data::Line line; reader.next(line);) lines.emplace_back(line.text);
  return lines;
}

std::vector<std::pair<std::string, std::string>> read_terms(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> terms;
  int number = 0;
  for (const std::string& line : read_lines(path)) {
    ++number;
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    check(tab != std::string::npos && tab > 0 && tab + 1 < line.size(),
          "{}:{}: expected a source term, a tab and a target term, but got '{}'", path, number, excerpt(line));
    terms.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return terms;
}

}  // namespace

RequestReader::RequestReader(const RequestFiles& files)
    : lines_(data::open_bytes(files.input), data::kNoLineLimit),
      terms_(read_terms(files.terms)),
      banned_(read_lines(files.banned)),
      prefixes_(read_lines(files.prefixes)),
      has_prefixes_(!files.prefixes.empty()) {}

bool RequestReader::next(Request& request) {
  data::Line line;
  if (!lines_.next(line)) return false;
  request.text = line.text;
  if (const std::size_t at = data::find_invalid_utf8(line.text); at != std::string::npos) {
    log::warning("line {}: byte {} is not UTF-8; such bytes are replaced", line.number, at + 1);
    request.text = data::replace_invalid_utf8(line.text);
  }
  request.terms = terms_;
  request.banned = banned_;
  if (has_prefixes_) {
    check(line.number <= prefixes_.size(), "the input has more lines than the {} prefixes", prefixes_.size());
    request.prefix = prefixes_[static_cast<std::size_t>(line.number - 1)];
  }
  return true;
}

}  // namespace dragoman::run
