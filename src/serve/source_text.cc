#include "serve/source_text.h"

#include "serve/http_message.h"
#include "text/sentences.h"

namespace dragoman::serve {
namespace {

constexpr std::string_view kSpaces = " \t\r\f\v";

// The bytes at the beginning of a line that are not translated: spaces and a list mark.
std::size_t lead_of(std::string_view line) {
  std::size_t at = std::min(line.find_first_not_of(kSpaces), line.size());
  std::size_t mark = at;
  for (const std::string_view bullet : {"-", "*", "+", "\u2022", "\u2013"})
    if (line.substr(at).starts_with(bullet)) mark = at + bullet.size();
  if (mark == at) {
    while (mark < line.size() && line[mark] >= '0' && line[mark] <= '9') ++mark;
    if (mark == at || mark == line.size() || (line[mark] != '.' && line[mark] != ')')) return at;
    ++mark;
  }
  const std::size_t text = line.find_first_not_of(kSpaces, mark);
  return text == std::string_view::npos || text == mark ? at : text;
}

}  // namespace

TextFormat format_of_name(std::string_view name) {
  if (name == "text") return TextFormat::text;
  throw HttpError(400, fmt::format("format {} is not supported", name));
}

TextFormat format_of_file(std::string_view file_name) {
  if (file_name.ends_with(".txt")) return TextFormat::text;
  throw HttpError(400, "Invalid request: file format not supported");
}

const std::vector<std::string>& file_endings() {
  static const std::vector<std::string> endings = {".txt"};
  return endings;
}

SourceText::SourceText(std::string text, TextFormat /*format*/, bool sentences) : between_(1) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    add_line(std::string_view(text).substr(begin, end - begin), sentences);
    if (end < text.size()) between_.back() += '\n';
    begin = end + 1;
  }
}

void SourceText::add_line(std::string_view line, bool sentences) {
  const std::size_t lead = lead_of(line);
  between_.back() += line.substr(0, lead);
  line.remove_prefix(lead);
  const std::size_t last = line.find_last_not_of(kSpaces);
  const std::string_view body = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
  std::vector<text::Span> spans;
  if (sentences)
    spans = text::split_sentences(body);
  else if (!body.empty())
    spans = {{0, static_cast<std::uint32_t>(body.size())}};
  std::size_t at = 0;
  for (const text::Span& span : spans) {
    between_.back() += body.substr(at, span.begin - at);
    segments_.emplace_back(body.substr(span.begin, span.end - span.begin));
    between_.emplace_back();
    at = span.end;
  }
  between_.back() += line.substr(at);
}

std::string SourceText::render(const std::vector<const Translation*>& translations) const {
  std::string whole = between_[0];
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    whole += translations[i]->text;
    whole += between_[i + 1];
  }
  return whole;
}

}  // namespace dragoman::serve
