#include "document/plain_text.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"
#include "document/paragraph.h"
#include "text/unicode.h"

namespace dragoman::document {
namespace {

constexpr std::string_view kMarks[] = {"-",      "*",      "+",      ">",      "#",      "\u2022",
                                       "\u2023", "\u25e6", "\u25aa", "\u00b7", "\u2013", "\u2014"};

constexpr std::string_view kBoxes[] = {"[ ]", "[x]", "[X]"};

bool is_blank_at(std::string_view text, std::size_t at) {
  return text::classify(text::code_point_at(text, at).code) == text::CharClass::space;
}

// The end of white space that begins at `at`.
std::size_t skip_spaces(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank_at(line, at)) at += text::code_point_at(line, at).length;
  return at;
}

// The end of "12.", "12)", "(12)", "a)" or "(a)" at `at`; `at` if there is none.
std::size_t skip_number(std::string_view line, std::size_t at) {
  constexpr std::size_t kMostDigits = 3;
  const bool is_open = at < line.size() && line[at] == '(';
  const std::size_t begin = at + (is_open ? 1 : 0);
  std::size_t end = begin;
  while (end < line.size() && end - begin < kMostDigits && is_ascii_digit(line[end])) ++end;
  const bool is_number = end > begin;
  if (!is_number && end < line.size() && is_ascii_letter(line[end])) ++end;
  if (end == begin || end >= line.size()) return at;
  return line[end] == ')' || (line[end] == '.' && is_number && !is_open) ? end + 1 : at;
}

// The end of a mark such as "-", "##", "12." or "[x]" at `at`, which a space follows; `at` if there is none.
std::size_t skip_mark(std::string_view line, std::size_t at) {
  const auto begins = [&](std::string_view mark) { return line.substr(at).starts_with(mark); };
  std::size_t end = at;
  if (const auto mark = std::find_if(std::begin(kMarks), std::end(kMarks), begins); mark != std::end(kMarks))
    while (line.substr(end).starts_with(*mark)) end += mark->size();
  else if (std::any_of(std::begin(kBoxes), std::end(kBoxes), begins))
    end += kBoxes[0].size();
  else
    end = skip_number(line, at);
  return end < line.size() && is_blank_at(line, end) ? end : at;
}

// The end of the indentation and the marks of a line.
std::size_t skip_marks(std::string_view line) {
  std::size_t at = skip_spaces(line, 0);
  for (;;) {
    const std::size_t end = skip_spaces(line, skip_mark(line, at));
    if (end == at) return at;
    at = end;
  }
}

}  // namespace

std::vector<Segment> read_text(std::string_view document, const Options& options) {
  std::vector<Segment> segments;
  Paragraph paragraph(options, segments);
  for (std::size_t begin = 0; begin < document.size();) {
    const std::size_t end = std::min(document.find('\n', begin), document.size());
    const std::string_view line = document.substr(begin, end - begin);
    const std::size_t marks = skip_marks(line), first_mark = skip_spaces(line, 0);
    const bool begins_paragraph = options.split != Split::paragraphs || marks > first_mark || marks == line.size();
    if (begins_paragraph) paragraph.finish();
    paragraph.add_text(line.substr(marks), begin + marks);
    if (end < document.size()) paragraph.add_space({end, end + 1});
    begin = end + 1;
  }
  paragraph.finish();
  return segments;
}

}  // namespace dragoman::document
