#include "eval/ter.h"

#include <algorithm>

#include "base/options.h"
#include "eval/bleu_tokenizers.h"
#include "eval/ngrams.h"
#include "eval/python_str.h"
#include "eval/shift_search.h"
#include "text/unicode.h"

namespace dragoman::eval {
namespace {

void separate_possessive(std::string& text) { replace_all(text, "'s ", " 's "); }

bool is_han(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x31C0 && c <= 0x31EF) ||
         (c >= 0x2E80 && c <= 0x2EFF) || (c >= 0x3200 && c <= 0x3F22) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFE30 && c <= 0xFE4F);
}

bool is_asian_punctuation(char32_t c) {
  return c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011) || (c >= 0x3014 && c <= 0x301F) ||
         (c >= 0xFF61 && c <= 0xFF65) || c == 0x30FB;
}

bool is_full_width_punctuation(char32_t c) {
  return std::u32string_view(U"．，？：；！＂（）").find(c) != std::u32string_view::npos;
}

bool is_plain_punctuation(char c) { return std::string_view(".,?:;!\"()").find(c) != std::string_view::npos; }

std::string separate_asian(std::string_view line) {
  std::string out;
  for (const char32_t c : text::code_points(line)) {
    const bool apart = is_han(c) || is_asian_punctuation(c) || is_full_width_punctuation(c);
    if (apart) out += ' ';
    text::append_utf8(c, out);
    if (apart) out += ' ';
  }
  return out;
}

std::string remove_asian_punctuation(std::string_view line) {
  std::string out;
  for (const char32_t c : text::code_points(line)) {
    if (!is_asian_punctuation(c) && !is_full_width_punctuation(c)) text::append_utf8(c, out);
  }
  return out;
}

}  // namespace

std::string tokenize_ter(const TerOptions& options, std::string_view line) {
  std::string text(python::rstrip(line));
  if (text.empty()) return text;
  if (!options.case_sensitive) text = python::lower(text);
  if (options.normalize) {
    replace_all(text, "\n-", "");
    replace_all(text, "\n", " ");
    undo_entities(text);
    text = separate_western(" " + text + " ", separate_possessive);
    if (options.asian) text = separate_asian(text);
  }
  if (options.no_punctuation) {
    std::erase_if(text, is_plain_punctuation);
    if (options.asian) text = remove_asian_punctuation(text);
  }
  return text;
}

std::string Ter::signature(std::size_t references) const {
  const auto yes_no = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format("nrefs:{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}{}", references,
                     options_.case_sensitive ? "mixed" : "lc", yes_no(options_.normalize),
                     yes_no(!options_.no_punctuation), yes_no(options_.asian), version_tag());
}

void Ter::count(std::string_view hypothesis, std::span<const std::string_view> references,
                std::span<double> statistics) const {
  WordNumbers numbers;
  const std::string hypothesis_text = tokenize_ter(options_, hypothesis);
  const std::vector<std::uint32_t> words = numbers.numbers(python::split(hypothesis_text));
  std::vector<std::string> reference_texts;
  reference_texts.reserve(references.size());  // `numbers` keeps views of these
  std::size_t fewest = 0, total_length = 0;
  for (const std::string_view reference : references) {
    // sacreBLEU normalises references twice, which can matter for quotes and possessives.
    const std::string once = tokenize_ter(options_, reference);
    reference_texts.push_back(options_.normalize ? tokenize_ter(options_, once) : once);
    const std::vector<std::uint32_t> target = numbers.numbers(python::split(reference_texts.back()));
    const std::size_t edits = edits_with_shifts(words, target);
    fewest = reference_texts.size() == 1 ? edits : std::min(fewest, edits);
    total_length += target.size();
  }
  statistics[0] = static_cast<double>(fewest);
  statistics[1] = static_cast<double>(total_length) / static_cast<double>(references.size());
}

double Ter::score(std::span<const double> sums) const {
  if (sums[1] > 0) return 100 * (sums[0] / sums[1]);
  return sums[0] > 0 ? 100 : 0;
}

std::vector<Detail> Ter::details(std::span<const double> sums) const {
  return {{"edits", {sums[0]}}, {"ref_len", {sums[1]}}};
}

}  // namespace dragoman::eval
