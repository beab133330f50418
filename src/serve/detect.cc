#include "serve/detect.h"

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <algorithm>

#include "data/utf8.h"
#include "text/language_codes.h"

namespace dragoman::serve {
namespace {

// More text does not change the answer.
constexpr std::size_t kEnough = 16 << 10;
// Percent of a text that needs no translation. Of a short word, CLD2 counts the spaces around it as well: 80.
constexpr int kNearlyAll = 75;

// Some codes of CLD2 are older than those in use.
std::string modern_code(const char* code) {
  const std::string_view given = code;
  if (given == "iw") return "he";
  if (given == "jw") return "jv";
  if (given == "zh-Hant") return "zh";
  return std::string(given);
}

std::string_view beginning(std::string_view text) {
  if (text.size() <= kEnough) return text;
  std::size_t end = kEnough;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

std::vector<DetectedLanguage> detect_languages(std::string_view text) {
  const std::string valid = data::replace_invalid_utf8(beginning(text));
  const CLD2::CLDHints hints = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3];
  int percents[3], text_bytes = 0, valid_bytes = 0;
  double scores[3];
  bool reliable = false;
  CLD2::ExtDetectLanguageSummaryCheckUTF8(valid.data(), static_cast<int>(valid.size()), true, &hints,
                                          CLD2::kCLDFlagBestEffort, languages, percents, scores, nullptr, &text_bytes,
                                          &reliable, &valid_bytes);
  std::vector<DetectedLanguage> found;
  for (int i = 0; i < 3; ++i)
    if (languages[i] != CLD2::UNKNOWN_LANGUAGE && percents[i] > 0)
      found.push_back({modern_code(CLD2::LanguageCode(languages[i])), reliable ? percents[i] : percents[i] / 2});
  return found;
}

DetectedLanguage detect_among(std::string_view text, const std::vector<std::string>& known) {
  return detect_source(text, known, "");
}

DetectedLanguage detect_source(std::string_view text, const std::vector<std::string>& sources,
                               const std::string& target) {
  for (const auto& [code, confidence] : detect_languages(text)) {
    if (confidence >= kNearlyAll && !text::find_language(code, {target}).empty()) return {target, confidence};
    const std::string language = text::find_language(code, sources);
    if (!language.empty()) return {language, confidence};
  }
  return {sources.empty() ? "en" : sources.front(), 0};
}

}  // namespace dragoman::serve
