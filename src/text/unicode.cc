#include "text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/code_ranges.h"
#include "text/unicode_recent.h"

namespace dragoman::text {
namespace {

utf8proc_category_t category(char32_t code) { return utf8proc_category(static_cast<utf8proc_int32_t>(code)); }

CharClass recent_class(char32_t code) {
  const RecentRange* const range = find_range(kRecentRanges, code);
  return range ? range->kind : CharClass::other;
}

CharClass class_of_category(char32_t code) {
  switch (category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return CharClass::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return CharClass::mark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return CharClass::number;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return CharClass::punctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO: return CharClass::symbol;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return CharClass::space;
    case UTF8PROC_CATEGORY_CN: return recent_class(code);
    default: return (code >= 0x09 && code <= 0x0D) || code == 0x85 ? CharClass::space : CharClass::other;
  }
}

constexpr CharClass ascii_class(char32_t code) {
  if ((code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z')) return CharClass::letter;
  if (code >= '0' && code <= '9') return CharClass::number;
  if (code == ' ' || (code >= 0x09 && code <= 0x0D)) return CharClass::space;
  if (code < 0x20 || code == 0x7F) return CharClass::other;
  return std::u32string_view(U"$+<=>^`|~").find(code) != std::u32string_view::npos ? CharClass::symbol
                                                                                   : CharClass::punctuation;
}

constexpr std::array<CharClass, 128> kAsciiClasses = [] {
  std::array<CharClass, 128> table{};
  for (char32_t code = 0; code < 128; ++code) table[code] = ascii_class(code);
  return table;
}();

utf8proc_ssize_t check_utf8proc(utf8proc_ssize_t result) {
  check(result >= 0, "utf8proc: {}", result < 0 ? utf8proc_errmsg(result) : "");
  return result;
}

// The decomposition of valid UTF-8, without canonical order.
std::vector<utf8proc_int32_t> decompose(std::string_view text, utf8proc_option_t options) {
  constexpr std::size_t kLongest = 32;  // the longest decomposition of one code point has 18
  std::vector<utf8proc_int32_t> codes(text.size() + kLongest);
  std::size_t count = 0;
  int boundary = UTF8PROC_BOUNDCLASS_START;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (codes.size() - count < kLongest) codes.resize(2 * codes.size());
    count += static_cast<std::size_t>(
        check_utf8proc(utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point.code), codes.data() + count,
                                               utf8proc_ssize_t{kLongest}, options, &boundary)));
    at += point.length;
  }
  codes.resize(count);
  return codes;
}

// Canonical order (Unicode, section 3.11): sorts each run of combining marks by their classes and keeps the order of
// equal ones. utf8proc does it in quadratic time.
void order_marks(std::vector<utf8proc_int32_t>& codes) {
  const auto mark_class = [](utf8proc_int32_t code) { return utf8proc_get_property(code)->combining_class; };
  const auto comes_first = [&](utf8proc_int32_t a, utf8proc_int32_t b) { return mark_class(a) < mark_class(b); };
  const auto is_mark = [&](utf8proc_int32_t code) { return mark_class(code) != 0; };
  for (auto begin = codes.begin(); begin != codes.end();) {
    begin = std::find_if(begin, codes.end(), is_mark);
    const auto end = std::find_if_not(begin, codes.end(), is_mark);
    if (!std::is_sorted(begin, end, comes_first)) std::stable_sort(begin, end, comes_first);
    begin = end;
  }
}

// utf8proc_map on valid UTF-8, in linear time but for sorting.
std::string map_valid(std::string_view text, int flags) {
  const auto options = static_cast<utf8proc_option_t>(flags);
  std::vector<utf8proc_int32_t> codes = decompose(text, options);
  order_marks(codes);
  const auto count = static_cast<utf8proc_ssize_t>(codes.size());
  codes.push_back(0);  // utf8proc_reencode writes UTF-8 over the code points, and a zero byte
  const utf8proc_ssize_t size = check_utf8proc(utf8proc_reencode(codes.data(), count, options));
  return {reinterpret_cast<const char*>(codes.data()), static_cast<std::size_t>(size)};
}

// utf8proc_map on the valid parts; copies invalid bytes between them.
std::string map_any(std::string_view text, int options) {
  std::string out;
  std::size_t start = 0;
  const auto flush = [&](std::size_t end) {
    if (end > start) out += map_valid(text.substr(start, end - start), options);
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (!point.valid) {
      flush(at);
      out += text[at];
      start = at + 1;
    }
    at += point.length;
  }
  flush(text.size());
  return out;
}

// Calls append(code, out) for each code point of the valid parts; copies invalid bytes between them.
template <class Append>
std::string map_codes(std::string_view text, Append append) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.valid)
      append(point.code, out);
    else
      out += text[at];
    at += point.length;
  }
  return out;
}

int options_of(NormalForm form) {
  return form == NormalForm::nfkc ? UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT
                                  : UTF8PROC_STABLE | UTF8PROC_COMPOSE;
}

// Calls visit(begin, end) for each extended grapheme cluster. Normalisation never composes or reorders across their
// borders.
template <class Visit>
void each_cluster(std::string_view text, Visit visit) {
  utf8proc_int32_t state = 0;
  std::size_t begin = 0;
  CodePoint previous;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (at > 0 && (!point.valid || !previous.valid ||
                   utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(previous.code),
                                                    static_cast<utf8proc_int32_t>(point.code), &state))) {
      visit(begin, at);
      begin = at;
    }
    previous = point;
    at += point.length;
  }
  if (begin < text.size()) visit(begin, text.size());
}

}  // namespace

CodePoint decode_multibyte(std::string_view text, std::size_t at) {
  constexpr CodePoint invalid{0xFFFD, 1, false};
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : std::uint8_t{0};
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1, true};
  if (first >= 0xC2 && first <= 0xDF) {
    if (!continues(1)) return invalid;
    return {static_cast<char32_t>((first & 0x1F) << 6 | (byte(1) & 0x3Fu)), 2, true};
  }
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return invalid;
    const std::uint32_t code = (first & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    if (code < 0x800 || (code >= 0xD800 && code < 0xE000)) return invalid;
    return {code, 3, true};
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return invalid;
    const std::uint32_t code =
        (first & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
    if (code < 0x10000 || code > 0x10FFFF) return invalid;
    return {code, 4, true};
  }
  return invalid;
}

CodePoint code_point_before(std::string_view text, std::size_t end) {
  for (std::size_t length = 1; length <= 4 && length <= end; ++length) {
    const CodePoint point = code_point_at(text, end - length);
    if (point.valid && point.length == length) return point;
  }
  return {0xFFFD, 1, false};
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> codes;
  codes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    codes.push_back(point.code);
    at += point.length;
  }
  return codes;
}

void append_utf8(char32_t code, std::string& out) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

CharClass classify(char32_t code) { return code < 128 ? kAsciiClasses[code] : class_of_category(code); }

bool is_upper(char32_t code) {
  const utf8proc_category_t kind = category(code);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LT;
}
bool is_lower(char32_t code) { return category(code) == UTF8PROC_CATEGORY_LL; }
bool is_digit(char32_t code) { return category(code) == UTF8PROC_CATEGORY_ND; }
bool is_punctuation_or_symbol(char32_t code) {
  const CharClass kind = classify(code);
  return kind == CharClass::punctuation || kind == CharClass::symbol;
}
bool is_opening(char32_t code) {
  const utf8proc_category_t kind = category(code);
  return kind == UTF8PROC_CATEGORY_PS || kind == UTF8PROC_CATEGORY_PI;
}
bool is_dash(char32_t code) { return category(code) == UTF8PROC_CATEGORY_PD; }
char32_t to_lower(char32_t code) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
}
char32_t to_upper(char32_t code) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code)));
}

std::string normalize(std::string_view text, NormalForm form) {
  if (form == NormalForm::none || is_ascii(text)) return std::string(text);
  return map_any(text, options_of(form));
}

std::string lower_case(std::string_view text) {
  return map_codes(text, [](char32_t code, std::string& out) { append_utf8(to_lower(code), out); });
}

std::string upper_case(std::string_view text) {
  return map_codes(text, [](char32_t code, std::string& out) {
    if (code == U'ß')
      out += "SS";
    else
      append_utf8(to_upper(code), out);
  });
}

std::string fold_case(std::string_view text) {
  return map_any(text, UTF8PROC_STABLE | UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE);
}

Span MappedText::original(std::uint32_t begin, std::uint32_t end) const {
  if (begin_.empty() || begin >= end) return {begin, end};
  return {begin_[begin], end_[end - 1]};
}

void MappedText::replace(const std::vector<std::pair<Span, std::string>>& changes) {
  if (changes.empty()) return;
  std::string text;
  std::vector<std::uint32_t> begins, ends;
  const auto keep = [&](std::uint32_t begin, std::uint32_t end) {
    text.append(text_, begin, end - begin);
    for (std::uint32_t i = begin; i < end; ++i) {
      begins.push_back(begin_.empty() ? i : begin_[i]);
      ends.push_back(end_.empty() ? i + 1 : end_[i]);
    }
  };
  std::uint32_t at = 0;
  for (const auto& [span, words] : changes) {
    keep(at, span.begin);
    text += words;
    const Span from = original(span.begin, span.end);
    begins.insert(begins.end(), words.size(), from.begin);
    ends.insert(ends.end(), words.size(), from.end);
    at = span.end;
  }
  keep(at, static_cast<std::uint32_t>(text_.size()));
  text_ = std::move(text);
  begin_ = std::move(begins);
  end_ = std::move(ends);
}

void MappedText::normalize(NormalForm form) {
  if (form == NormalForm::none || is_ascii(text_)) return;
  std::vector<std::pair<Span, std::string>> changes;
  each_cluster(text_, [&](std::size_t begin, std::size_t end) {
    const std::string_view cluster = std::string_view(text_).substr(begin, end - begin);
    if (is_ascii(cluster)) return;
    std::string changed = text::normalize(cluster, form);
    if (changed != cluster)
      changes.emplace_back(Span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                           std::move(changed));
  });
  replace(changes);
}

void MappedText::lower_case() {
  std::vector<std::pair<Span, std::string>> changes;
  bool same_size = true;
  for (std::size_t at = 0; at < text_.size();) {
    const CodePoint point = code_point_at(text_, at);
    const char32_t lower = point.valid ? to_lower(point.code) : point.code;
    if (lower != point.code) {
      std::string changed;
      append_utf8(lower, changed);
      same_size &= changed.size() == point.length;
      const auto begin = static_cast<std::uint32_t>(at);
      changes.emplace_back(Span{begin, begin + point.length}, std::move(changed));
    }
    at += point.length;
  }
  if (same_size)
    text_ = text::lower_case(text_);
  else
    replace(changes);
}

}  // namespace dragoman::text
