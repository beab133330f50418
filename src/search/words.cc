#include "search/words.h"

#include <algorithm>
#include <utility>

#include "text/unicode.h"
#include "text/units.h"

namespace dragoman::search {
namespace {

// Calls f(begin, end) for every stretch of text between Unicode spaces.
template <class F>
void each_word(std::string_view text, F&& f) {
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    const text::CodePoint point = text::code_point_at(text, at);
    if (text::classify(point.code) == text::CharClass::space) {
      if (at > begin) f(begin, at);
      begin = at + point.length;
    }
    at += point.length;
  }
  if (at > begin) f(begin, at);
}

std::vector<text::Span> word_units(std::string_view text) {
  std::vector<text::Span> words;
  for (const text::Unit& unit : text::split_units(text))
    if (unit.is_word) words.push_back(unit.span);
  return words;
}

bool overlap(const text::Span& a, const text::Span& b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace

std::vector<int> words_of(std::string_view text, std::span<const text::Span> spans) {
  std::vector<text::Span> words;
  each_word(text, [&](std::size_t begin, std::size_t end) {
    words.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  });
  std::vector<int> result;
  for (const text::Span& span : spans) {
    // The first word that the span overlaps; a leading space belongs to no word.
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const text::Span& word) { return overlap(word, span); });
    result.push_back(found == words.end() ? -1 : static_cast<int>(found - words.begin()));
  }
  return result;
}

int count_display_words(std::string_view text) {
  int count = 0;
  each_word(text, [&](std::size_t, std::size_t) { ++count; });
  return count;
}

// Decodes the first i tokens for every i. A later token can change the spaces before it ("$" and "5" become "$5"), but
// not the other characters, so these are counted. An exception are the bytes of a character: until the last one comes,
// SentencePiece decodes them as U+FFFD. All of them have the place of the character.
std::vector<text::Span> target_spans(const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids,
                                     std::string_view text) {
  const auto is_letter = [](char c) { return c != ' '; };
  std::vector<std::uint32_t> ends{0};  // ends[n]: the end of the first n bytes that are not spaces
  for (std::size_t at = 0; at < text.size(); ++at)
    if (is_letter(text[at])) ends.push_back(static_cast<std::uint32_t>(at + 1));
  std::vector<text::Span> spans;
  std::uint32_t before = 0;
  std::ptrdiff_t open = 0;  // bytes of a character so far
  std::string start = tokenizer.decode(ids.first(std::min<std::size_t>(ids.size(), 1)));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string next = tokenizer.decode(ids.first(std::min(i + 2, ids.size())));
    const auto letters = static_cast<std::size_t>(std::count_if(start.begin(), start.end(), is_letter));
    spans.push_back({before, std::max(before, ends[std::min(letters, ends.size() - 1)])});
    if (start.ends_with("\uFFFD") && !next.starts_with(start)) {
      ++open;
    } else {
      for (; open > 0; --open) *(spans.end() - 1 - open) = spans.back();
      before = spans.back().end;
    }
    start = std::move(next);
  }
  return spans;
}

std::vector<AlignmentLink> align_words(const std::vector<std::vector<float>>& attention,
                                       std::span<const int> source_words, std::span<const int> target_words) {
  int sources = 0, targets = 0;
  for (const int w : source_words) sources = std::max(sources, w + 1);
  for (const int w : target_words) targets = std::max(targets, w + 1);
  std::vector<AlignmentLink> links;
  for (int target = 0; target < targets; ++target) {
    std::vector<float> weights(static_cast<std::size_t>(sources));
    for (std::size_t t = 0; t < target_words.size() && t < attention.size(); ++t)
      if (target_words[t] == target)
        for (std::size_t s = 0; s < source_words.size() && s < attention[t].size(); ++s)
          if (source_words[s] >= 0) weights[static_cast<std::size_t>(source_words[s])] += attention[t][s];
    const auto best = std::max_element(weights.begin(), weights.end());
    if (best != weights.end() && *best > 0) links.push_back({static_cast<int>(best - weights.begin()), target});
  }
  return links;
}

// A token that covers several units, as in Chinese, has the same weight for all of them.
std::vector<SpanLink> align_units(const std::vector<std::vector<float>>& attention, std::string_view source,
                                  std::span<const text::Span> source_spans, std::string_view target,
                                  std::span<const text::Span> target_spans) {
  const std::vector<text::Span> from = word_units(source);
  std::vector<SpanLink> links;
  for (const text::Span& word : word_units(target)) {
    std::vector<float> tokens(source_spans.size()), weights(from.size());
    for (std::size_t t = 0; t < target_spans.size() && t < attention.size(); ++t)
      if (overlap(target_spans[t], word))
        for (std::size_t s = 0; s < tokens.size() && s < attention[t].size(); ++s) tokens[s] += attention[t][s];
    std::size_t next = 0;  // tokens and units are in order
    for (std::size_t s = 0; s < tokens.size(); ++s) {
      while (next < from.size() && from[next].end <= source_spans[s].begin) ++next;
      for (std::size_t i = next; i < from.size() && overlap(from[i], source_spans[s]); ++i) weights[i] += tokens[s];
    }
    const auto best = std::max_element(weights.begin(), weights.end());
    if (best == weights.end() || *best <= 0) continue;
    const text::Span& origin = from[static_cast<std::size_t>(best - weights.begin())];
    links.push_back({origin.begin, origin.end, word.begin, word.end});
  }
  return links;
}

void move_sources(std::vector<SpanLink>& links, std::uint32_t offset) {
  for (SpanLink& link : links) {
    link.source_begin += offset;
    link.source_end += offset;
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool continues_word(char32_t code) {
  const text::CharClass kind = text::classify(code);
  return kind == text::CharClass::letter || kind == text::CharClass::mark || kind == text::CharClass::number;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const auto inside_word = [&](std::size_t at) {
    return at > 0 && at < text.size() && continues_word(text::code_point_before(text, at).code) &&
           continues_word(text::code_point_at(text, at).code);
  };
  return begin < end && !inside_word(begin) && !inside_word(end);
}

bool overlaps(std::span<const text::Span> spans, std::size_t begin, std::size_t end) {
  const auto next =
      std::partition_point(spans.begin(), spans.end(), [&](text::Span span) { return span.end <= begin; });
  return next != spans.end() && next->begin < end;
}

std::size_t find_word(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  while (at != std::string_view::npos && !stands_alone(text, at, at + word.size())) at = text.find(word, at + 1);
  return at;
}

bool contains_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}

bool contains_any_word(std::string_view text, std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return contains_word(text, word); });
}

}  // namespace dragoman::search
