#include "data/script.h"

#include "text/code_ranges.h"
#include "text/unicode.h"

namespace dragoman::data {
namespace {

// Blocks of letters, in order. Punctuation and digits inside a block count as its script, which does no harm here;
// ASCII and Latin-1 are limited to their letters.
struct UnicodeBlock {
  char32_t first, last;
  Script script;
};

constexpr UnicodeBlock kBlocks[] = {
    {0x41, 0x5A, Script::latin},        {0x61, 0x7A, Script::latin},        {0xAA, 0xAA, Script::latin},
    {0xBA, 0xBA, Script::latin},        {0xC0, 0xD6, Script::latin},        {0xD8, 0xF6, Script::latin},
    {0xF8, 0x2AF, Script::latin},       {0x370, 0x3FF, Script::greek},      {0x400, 0x52F, Script::cyrillic},
    {0x531, 0x58F, Script::armenian},   {0x591, 0x5F4, Script::hebrew},     {0x600, 0x6FF, Script::arabic},
    {0x750, 0x77F, Script::arabic},     {0x8A0, 0x8FF, Script::arabic},     {0x900, 0x963, Script::devanagari},
    {0x966, 0x97F, Script::devanagari}, {0x980, 0x9FF, Script::bengali},    {0xA00, 0xA7F, Script::gurmukhi},
    {0xA80, 0xAFF, Script::gujarati},   {0xB80, 0xBFF, Script::tamil},      {0xC00, 0xC7F, Script::telugu},
    {0xC80, 0xCFF, Script::kannada},    {0xD00, 0xD7F, Script::malayalam},  {0xD80, 0xDFF, Script::sinhala},
    {0xE01, 0xE5B, Script::thai},       {0x10A0, 0x10FF, Script::georgian}, {0x1100, 0x11FF, Script::hangul},
    {0x1200, 0x139F, Script::ethiopic}, {0x1780, 0x17FF, Script::khmer},    {0x1C80, 0x1C8F, Script::cyrillic},
    {0x1C90, 0x1CBF, Script::georgian}, {0x1E00, 0x1EFF, Script::latin},    {0x1F00, 0x1FFF, Script::greek},
    {0x2C60, 0x2C7F, Script::latin},    {0x2DE0, 0x2DFF, Script::cyrillic}, {0x2E80, 0x2FDF, Script::han},
    {0x3005, 0x3007, Script::han},      {0x3041, 0x309F, Script::kana},     {0x30A1, 0x30FA, Script::kana},
    {0x30FC, 0x30FF, Script::kana},     {0x3131, 0x318E, Script::hangul},   {0x31F0, 0x31FF, Script::kana},
    {0x3400, 0x4DBF, Script::han},      {0x4E00, 0x9FFF, Script::han},      {0xA640, 0xA69F, Script::cyrillic},
    {0xA722, 0xA7FF, Script::latin},    {0xA960, 0xA97F, Script::hangul},   {0xAC00, 0xD7FF, Script::hangul},
    {0xF900, 0xFAFF, Script::han},      {0xFB00, 0xFB06, Script::latin},    {0xFB1D, 0xFB4F, Script::hebrew},
    {0xFB50, 0xFDFF, Script::arabic},   {0xFE70, 0xFEFC, Script::arabic},   {0xFF21, 0xFF3A, Script::latin},
    {0xFF41, 0xFF5A, Script::latin},    {0xFF66, 0xFF9F, Script::kana},     {0xFFA0, 0xFFDC, Script::hangul},
    {0x20000, 0x3134F, Script::han},
};

bool belongs(Script letter, Script wanted) {
  return letter == wanted || (letter == Script::han && (wanted == Script::kana || wanted == Script::hangul));
}

}  // namespace

Script script_of(char32_t character) {
  const UnicodeBlock* const block = text::find_range(kBlocks, character);
  return block ? block->script : Script::any;
}

double share_in_script(std::string_view sentence, Script script) {
  std::size_t letters = 0, right = 0;
  for (std::size_t at = 0; at < sentence.size();) {
    const text::CodePoint point = text::code_point_at(sentence, at);
    at += point.length;
    const Script letter = script_of(point.code);
    if (letter == Script::any) continue;
    ++letters;
    right += belongs(letter, script) ? 1 : 0;
  }
  return letters == 0 ? 1.0 : static_cast<double>(right) / static_cast<double>(letters);
}

}  // namespace dragoman::data
