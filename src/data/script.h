#pragma once

#include <string_view>

#include "base/options.h"

namespace dragoman::data {

// Writing systems to check a side of a corpus for; `any` means no check.
enum class Script {
  any,
  latin,
  greek,
  cyrillic,
  armenian,
  hebrew,
  arabic,
  devanagari,
  bengali,
  gurmukhi,
  gujarati,
  tamil,
  telugu,
  kannada,
  malayalam,
  sinhala,
  thai,
  georgian,
  ethiopic,
  khmer,
  han,
  kana,
  hangul
};

// The script of a letter; `any` for digits, punctuation, marks and other characters that scripts share.
Script script_of(char32_t character);

// The fraction of the letters of `sentence` (valid UTF-8) that are in `script`; 1 if it has no letters. Japanese and
// Korean are mixed: han also counts as kana and as hangul.
double share_in_script(std::string_view sentence, Script script);

}  // namespace dragoman::data

template <>
struct dragoman::EnumNames<dragoman::data::Script> {
  using Script = dragoman::data::Script;
  static constexpr std::pair<Script, const char*> list[] = {{Script::any, "any"},
                                                            {Script::latin, "latin"},
                                                            {Script::greek, "greek"},
                                                            {Script::cyrillic, "cyrillic"},
                                                            {Script::armenian, "armenian"},
                                                            {Script::hebrew, "hebrew"},
                                                            {Script::arabic, "arabic"},
                                                            {Script::devanagari, "devanagari"},
                                                            {Script::bengali, "bengali"},
                                                            {Script::gurmukhi, "gurmukhi"},
                                                            {Script::gujarati, "gujarati"},
                                                            {Script::tamil, "tamil"},
                                                            {Script::telugu, "telugu"},
                                                            {Script::kannada, "kannada"},
                                                            {Script::malayalam, "malayalam"},
                                                            {Script::sinhala, "sinhala"},
                                                            {Script::thai, "thai"},
                                                            {Script::georgian, "georgian"},
                                                            {Script::ethiopic, "ethiopic"},
                                                            {Script::khmer, "khmer"},
                                                            {Script::han, "han"},
                                                            {Script::kana, "kana"},
                                                            {Script::hangul, "hangul"}};
};
