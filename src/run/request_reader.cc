#include "run/request_reader.h"

#include <filesystem>

#include "base/counted.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/quote.h"
#include "data/utf8.h"
#include "search/words.h"

namespace dragoman::run {
namespace {

// A term, a banned word or a prefix is a few words.
constexpr std::size_t kLongestConstraint = std::size_t{1} << 16;

bool next_constraint(data::LineReader& reader, data::Line& line) {
  if (!reader.next(line)) return false;
  check(!line.oversized, "{}:{}: is longer than {} bytes", reader.name(), line.number, kLongestConstraint);
  const std::size_t invalid = data::find_invalid_utf8(line.text);
  check(invalid == std::string::npos, "{}:{}: byte {} is not UTF-8", reader.name(), line.number, invalid + 1);
  return true;
}

std::vector<std::string> read_banned(const std::string& path) {
  std::vector<std::string> words;
  if (path.empty()) return words;
  data::LineReader reader(data::open_bytes(path), kLongestConstraint);
  for (data::Line line; next_constraint(reader, line);)
    if (search::count_display_words(line.text) > 0) words.emplace_back(line.text);
  return words;
}

TermList read_terms(const std::string& path) {
  if (path.empty()) return {};
  std::vector<TermList::Term> terms;
  data::LineReader reader(data::open_bytes(path), kLongestConstraint);
  for (data::Line line; next_constraint(reader, line);) {
    if (line.text.empty()) continue;
    const std::size_t tab = line.text.find('\t');
    const bool good = tab != std::string_view::npos &&
                      line.text.find_first_of("\t\r", tab + 1) == std::string_view::npos &&
                      search::count_display_words(line.text.substr(0, tab)) > 0 &&
                      search::count_display_words(line.text.substr(tab + 1)) > 0;
    check(good, "{}:{}: expected a source term, a tab and a target term, but got '{}'", path, line.number,
          excerpt(line.text));
    terms.emplace_back(line.text.substr(0, tab), line.text.substr(tab + 1));
  }
  return TermList(std::move(terms));
}

// Whether the file can be read more than once. Throws if there is none.
bool can_be_counted(const std::string& path) {
  if (path == "-") return false;
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  check(std::filesystem::exists(status), "{}: cannot be opened: {}", path.empty() ? "\"\"" : path,
        problem ? problem.message() : "no such file");
  return std::filesystem::is_regular_file(status);
}

std::uint64_t count_lines(const std::string& path) {
  data::LineReader reader(data::open_bytes(path), 0);
  for (data::Line line; reader.next(line);) {
  }
  return reader.count();
}

void check_length(const data::Line& line) {
  check(!line.oversized, "line {}: is longer than --max-line-bytes allows", line.number);
}

}  // namespace

void check_line_counts(const std::string& input, const std::string& other) {
  if (!can_be_counted(input) || !can_be_counted(other)) return;
  const std::uint64_t lines = count_lines(input), others = count_lines(other);
  check(lines == others, "{} has {}, but {} has {}", input, counted(lines, "line"), other,
        with_commas(static_cast<std::int64_t>(others)));
}

void check_has_line(const std::string& input, std::uint64_t line) {
  if (!can_be_counted(input)) return;
  const std::uint64_t lines = count_lines(input);
  check(line <= lines, "--line {} is to be drawn, but {} has {}", line, input, counted(lines, "line"));
}

void check_readable(const std::string& input, std::int64_t max_line_bytes) {
  const InputFile opened(input);  // refuses folders and pipes
  data::LineReader reader(data::open_bytes(input), static_cast<std::size_t>(max_line_bytes));
  for (data::Line line; reader.next(line);) check_length(line);
}

SharedConstraints::SharedConstraints(const std::string& terms, const std::string& banned)
    : terms_(read_terms(terms)), banned_(read_banned(banned)) {}

void SharedConstraints::add_to(Request& request) const {
  request.terms = terms_.in(request.text);
  request.banned = banned_;
}

Request SharedConstraints::all() const {
  Request request;
  request.terms = terms_.all();
  request.banned = banned_;
  return request;
}

RequestReader::RequestReader(const RequestFiles& files)
    : lines_(data::open_bytes(files.input), static_cast<std::size_t>(files.max_line_bytes)),
      shared_(files.terms, files.banned) {
  if (files.prefixes.empty()) return;
  check_line_counts(files.input, files.prefixes);
  prefixes_.emplace(data::open_bytes(files.prefixes), kLongestConstraint);
}

Request RequestReader::constraints() const {
  Request request = shared_.all();
  if (prefixes_) request.prefix = "prefix";
  return request;
}

bool RequestReader::next(Request& request) {
  data::Line line;
  if (!lines_.next(line)) {
    check(!prefixes_ || !prefixes_->next(line), "{} has more lines than the {} of the input",
          prefixes_ ? prefixes_->name() : "", lines_.count());
    return false;
  }
  check_length(line);
  request.text = line.text;
  if (const std::size_t at = data::find_invalid_utf8(line.text); at != std::string::npos) {
    log::warning("line {}: byte {} is {}; such bytes are replaced", line.number, at + 1,
                 line.text[at] == '\0' ? "NUL" : "not UTF-8");
    request.text = data::replace_invalid_utf8(line.text);
  }
  shared_.add_to(request);
  if (prefixes_) read_prefix(request, line.number);
  return true;
}

void RequestReader::read_prefix(Request& request, std::uint64_t line) {
  data::Line prefix;
  check(next_constraint(*prefixes_, prefix), "line {} has no prefix: {} has {}", line, prefixes_->name(),
        counted(prefixes_->count(), "line"));
  request.prefix = prefix.text;
}

}  // namespace dragoman::run
