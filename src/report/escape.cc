#include "report/escape.h"

#include <cctype>

#include "data/utf8.h"

namespace dragoman::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kDigits = "0123456789";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && kBlanks.find(c) == std::string_view::npos; }

// U+FFFE or U+FFFF, the only characters of valid UTF-8 above U+001F that XML forbids.
bool begins_noncharacter(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
}

bool begins_entity(std::string_view text) {
  return text.size() > 1 && (text[1] == '#' || std::isalpha(static_cast<unsigned char>(text[1])) != 0);
}

}  // namespace

std::string escape(std::string_view text) {
  const std::string valid = data::replace_invalid_utf8(text);
  std::string safe;
  for (std::size_t i = 0; i < valid.size(); ++i) switch (const char c = valid[i]) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default:
        if (begins_noncharacter(std::string_view(valid).substr(i))) {
          safe += kReplacement;
          i += 2;
        } else if (is_control(c)) {
          safe += kReplacement;
        } else {
          safe += c;
        }
    }
  return safe;
}

std::string escape_markdown(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_|<[~";
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kMarkup.find(text[i]) != std::string_view::npos || (text[i] == '&' && begins_entity(text.substr(i))))
      safe += '\\';
    safe += text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
  }
  return safe;
}

std::string escape_markdown_block(std::string_view text) {
  constexpr std::string_view kBlocks = "#>+-=";  // headings, quotations, lists and rules
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  std::string safe = escape_markdown(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
  const std::size_t end_of_number = safe.find_first_not_of(kDigits);
  if (kBlocks.find(safe[0]) != std::string_view::npos)
    safe.insert(0, "\\");
  else if (end_of_number != 0 && end_of_number != std::string::npos &&
           (safe[end_of_number] == '.' || safe[end_of_number] == ')'))
    safe.insert(end_of_number, "\\");
  return safe;
}

}  // namespace dragoman::report
