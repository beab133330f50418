#include "text/language_codes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace dragoman::text {
namespace {

// A language by its code of two letters, its codes of three letters (ISO 639-3; several if programs name it by its
// standard variety), and in English.
struct Entry {
  std::string_view code, longer, name;
};

constexpr std::array kLanguages = std::to_array<Entry>({
    {"af", "afr", "Afrikaans"},     {"am", "amh", "Amharic"},
    {"ar", "ara arb", "Arabic"},    {"az", "aze azj", "Azerbaijani"},
    {"be", "bel", "Belarusian"},    {"bg", "bul", "Bulgarian"},
    {"bn", "ben", "Bengali"},       {"bs", "bos", "Bosnian"},
    {"ca", "cat", "Catalan"},       {"cs", "ces", "Czech"},
    {"cy", "cym", "Welsh"},         {"da", "dan", "Danish"},
    {"de", "deu", "German"},        {"el", "ell", "Greek"},
    {"en", "eng", "English"},       {"eo", "epo", "Esperanto"},
    {"es", "spa", "Spanish"},       {"et", "est", "Estonian"},
    {"eu", "eus", "Basque"},        {"fa", "fas pes", "Persian"},
    {"fi", "fin", "Finnish"},       {"fr", "fra", "French"},
    {"ga", "gle", "Irish"},         {"gl", "glg", "Galician"},
    {"gu", "guj", "Gujarati"},      {"he", "heb", "Hebrew"},
    {"hi", "hin", "Hindi"},         {"hr", "hrv", "Croatian"},
    {"hu", "hun", "Hungarian"},     {"hy", "hye", "Armenian"},
    {"id", "ind", "Indonesian"},    {"is", "isl", "Icelandic"},
    {"it", "ita", "Italian"},       {"ja", "jpn", "Japanese"},
    {"ka", "kat", "Georgian"},      {"kk", "kaz", "Kazakh"},
    {"km", "khm", "Khmer"},         {"kn", "kan", "Kannada"},
    {"ko", "kor", "Korean"},        {"la", "lat", "Latin"},
    {"lb", "ltz", "Luxembourgish"}, {"lo", "lao", "Lao"},
    {"lt", "lit", "Lithuanian"},    {"lv", "lav lvs", "Latvian"},
    {"mk", "mkd", "Macedonian"},    {"ml", "mal", "Malayalam"},
    {"mn", "mon khk", "Mongolian"}, {"mr", "mar", "Marathi"},
    {"ms", "msa zsm", "Malay"},     {"mt", "mlt", "Maltese"},
    {"my", "mya", "Burmese"},       {"nb", "nob", "Norwegian"},
    {"ne", "nep npi", "Nepali"},    {"nl", "nld", "Dutch"},
    {"nn", "nno", "Nynorsk"},       {"no", "nor", "Norwegian"},
    {"pa", "pan", "Punjabi"},       {"pl", "pol", "Polish"},
    {"pt", "por", "Portuguese"},    {"ro", "ron", "Romanian"},
    {"ru", "rus", "Russian"},       {"si", "sin", "Sinhala"},
    {"sk", "slk", "Slovak"},        {"sl", "slv", "Slovenian"},
    {"so", "som", "Somali"},        {"sq", "sqi als", "Albanian"},
    {"sr", "srp", "Serbian"},       {"sv", "swe", "Swedish"},
    {"sw", "swa swh", "Swahili"},   {"ta", "tam", "Tamil"},
    {"te", "tel", "Telugu"},        {"th", "tha", "Thai"},
    {"tl", "tgl", "Tagalog"},       {"tr", "tur", "Turkish"},
    {"uk", "ukr", "Ukrainian"},     {"ur", "urd", "Urdu"},
    {"uz", "uzb uzn", "Uzbek"},     {"vi", "vie", "Vietnamese"},
    {"zh", "zho cmn", "Chinese"},   {"zu", "zul", "Zulu"},
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

// The entry of the language of a code such as "de", "deu" or "deu_latn"; null if it is not in the list.
const Entry* entry_of(std::string_view code) {
  const std::string_view language = code.substr(0, code.find('_'));
  const auto names_it = [&](const Entry& entry) {
    return entry.code == language || (language.size() == 3 && entry.longer.find(language) != std::string_view::npos);
  };
  const auto found = std::find_if(kLanguages.begin(), kLanguages.end(), names_it);
  return found == kLanguages.end() ? nullptr : &*found;
}

// "_hant" of "zho_hant".
std::string_view script_and_region(std::string_view code) { return code.substr(std::min(code.find('_'), code.size())); }

// Whether two codes are of one language, whatever its script and region.
bool same_language(std::string_view a, std::string_view b) {
  const Entry* const entry = entry_of(a);
  return entry != nullptr ? entry == entry_of(b) : a.substr(0, a.find('_')) == b.substr(0, b.find('_'));
}

}  // namespace

std::string language_name(const std::string& code) {
  const Entry* const entry = entry_of(code);
  const std::size_t parts = code.find('_');
  if (entry == nullptr) return code;
  if (parts == std::string::npos) return std::string(entry->name);
  return fmt::format("{} ({})", entry->name, code.substr(parts + 1));
}

std::string find_language(std::string_view asked, const std::vector<std::string>& known) {
  const std::vector<std::string> found = find_languages(asked, known);
  return found.empty() ? "" : found.front();
}

std::vector<std::string> find_languages(std::string_view asked, const std::vector<std::string>& known) {
  if (asked.size() > kLongestCode) return {};
  const std::string wanted = normal(asked);
  for (std::string code = wanted;;) {
    for (const std::string& one : known)
      if (normal(one) == code) return {one};
    const std::size_t region = code.rfind('_');
    if (region == std::string::npos) break;
    code.resize(region);
  }
  std::vector<std::string> found;
  for (const std::string& one : known) {
    const std::string code = normal(one);
    if (!same_language(wanted, code)) continue;
    if (script_and_region(wanted) == script_and_region(code)) return {one};
    found.push_back(one);
  }
  return found;
}

std::string upper_code(std::string_view code) {
  std::string text(code);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '_') c = '-';
  }
  return text;
}

}  // namespace dragoman::text
