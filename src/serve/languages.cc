#include "serve/languages.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dragoman::serve {
namespace {

constexpr std::array kNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"af", "Afrikaans"},     {"am", "Amharic"},   {"ar", "Arabic"},     {"az", "Azerbaijani"}, {"be", "Belarusian"},
    {"bg", "Bulgarian"},     {"bn", "Bengali"},   {"bs", "Bosnian"},    {"ca", "Catalan"},     {"cs", "Czech"},
    {"cy", "Welsh"},         {"da", "Danish"},    {"de", "German"},     {"el", "Greek"},       {"en", "English"},
    {"eo", "Esperanto"},     {"es", "Spanish"},   {"et", "Estonian"},   {"eu", "Basque"},      {"fa", "Persian"},
    {"fi", "Finnish"},       {"fr", "French"},    {"ga", "Irish"},      {"gl", "Galician"},    {"gu", "Gujarati"},
    {"he", "Hebrew"},        {"hi", "Hindi"},     {"hr", "Croatian"},   {"hu", "Hungarian"},   {"hy", "Armenian"},
    {"id", "Indonesian"},    {"is", "Icelandic"}, {"it", "Italian"},    {"ja", "Japanese"},    {"ka", "Georgian"},
    {"kk", "Kazakh"},        {"km", "Khmer"},     {"kn", "Kannada"},    {"ko", "Korean"},      {"la", "Latin"},
    {"lb", "Luxembourgish"}, {"lo", "Lao"},       {"lt", "Lithuanian"}, {"lv", "Latvian"},     {"mk", "Macedonian"},
    {"ml", "Malayalam"},     {"mn", "Mongolian"}, {"mr", "Marathi"},    {"ms", "Malay"},       {"mt", "Maltese"},
    {"my", "Burmese"},       {"nb", "Norwegian"}, {"ne", "Nepali"},     {"nl", "Dutch"},       {"nn", "Nynorsk"},
    {"no", "Norwegian"},     {"pa", "Punjabi"},   {"pl", "Polish"},     {"pt", "Portuguese"},  {"ro", "Romanian"},
    {"ru", "Russian"},       {"si", "Sinhala"},   {"sk", "Slovak"},     {"sl", "Slovenian"},   {"so", "Somali"},
    {"sq", "Albanian"},      {"sr", "Serbian"},   {"sv", "Swedish"},    {"sw", "Swahili"},     {"ta", "Tamil"},
    {"te", "Telugu"},        {"th", "Thai"},      {"tl", "Tagalog"},    {"tr", "Turkish"},     {"uk", "Ukrainian"},
    {"ur", "Urdu"},          {"uz", "Uzbek"},     {"vi", "Vietnamese"}, {"zh", "Chinese"},     {"zu", "Zulu"},
});

// What language tags need at most (RFC 5646, 4.4.1).
constexpr std::size_t kLongestCode = 35;

std::string normal(std::string_view code) {
  std::string text(code);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return text;
}

}  // namespace

std::string language_name(const std::string& code) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.first == code; });
  return found == kNames.end() ? code : std::string(found->second);
}

std::string find_language(std::string_view asked, const std::vector<std::string>& known) {
  if (asked.size() > kLongestCode) return "";
  for (std::string code = normal(asked);;) {
    for (const std::string& one : known)
      if (normal(one) == code) return one;
    const std::size_t region = code.rfind('_');
    if (region == std::string::npos) return "";
    code.resize(region);
  }
}

std::string upper_code(std::string_view code) {
  std::string text(code);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '_') c = '-';
  }
  return text;
}

}  // namespace dragoman::serve
