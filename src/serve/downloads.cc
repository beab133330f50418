#include "serve/downloads.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/quote.h"
#include "data/utf8.h"
#include "text/unicode.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kLongestStem = 100;  // bytes
constexpr const char* kNameless = "translation";

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Without characters that file systems or headers reserve, or that change how the others are shown.
std::string without_reserved(const std::string& name) {
  std::string kept;
  for (std::size_t at = 0, length = 0; at < name.size(); at += length) {
    length = text::code_point_at(name, at).length;
    const std::string character = name.substr(at, length);
    if (character.find_first_of("\"*/:<>?\\|") == std::string::npos && escaped(character) == character)
      kept += character;
  }
  return kept;
}

std::string_view without_folders(std::string_view name) {
  const std::size_t last = name.find_last_of("/\\");
  return last == std::string_view::npos ? name : name.substr(last + 1);
}

// "film" of "film.en" if the language is en.
std::string_view without_language(std::string_view stem, std::string_view language) {
  if (language.empty() || stem.size() <= language.size() + 1 || !stem.ends_with(language)) return stem;
  const char mark = stem[stem.size() - language.size() - 1];
  return mark == '.' || mark == '_' || mark == '-' ? stem.substr(0, stem.size() - language.size() - 1) : stem;
}

// The bytes of a name that RFC 5987 allows, and %41 for the others.
std::string percent_encoded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

}  // namespace

std::string name_of_translation(std::string_view file_name, std::string_view source, std::string_view target) {
  const std::string name = without_reserved(data::replace_invalid_utf8(without_folders(file_name)));
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const std::string ending = name.substr(dot);
  std::string stem(without_language(std::string_view(name).substr(0, dot), source));
  std::size_t length = std::min(stem.size(), kLongestStem);
  while (length > 0 && length < stem.size() && (static_cast<unsigned char>(stem[length]) & 0xC0) == 0x80) --length;
  stem.resize(length);
  stem.erase(0, std::min(stem.find_first_not_of(". "), stem.size()));
  return fmt::format("{}.{}{}", stem.empty() ? kNameless : stem, target, ending);
}

HttpResponse as_download(const FileStore::File& file) {
  std::string plain = file.name;
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return !is_ascii(c); }, '_');
  std::string disposition = "attachment; filename=\"" + plain + "\"";
  if (plain != file.name) disposition += "; filename*=UTF-8''" + percent_encoded(file.name);
  return {.type = "application/octet-stream",
          .body = file.content,
          .headers = {{"Content-Disposition", std::move(disposition)}}};
}

}  // namespace dragoman::serve
