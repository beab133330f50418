#pragma once

#include <string_view>

#include "base/options.h"

namespace dragoman::data {

// Writing systems a corpus side can be checked for. `any` stands for no check.
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

// The writing system a letter belongs to; `any` for digits, punctuation, marks and whatever else all share.
Script script_of(char32_t character);

// Share of the letters of `sentence` (valid UTF-8) that are of `script`, 1 when it has none of any script. Japanese and
// Korean mix: han counts as right for kana and hangul.
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
