#include "search/surface.h"

#include <algorithm>

#include "search/words.h"
#include "text/signs.h"

namespace dragoman::search {
namespace {

// Writes one literal and moves the spans of all tokens from there on.
void write(const Literal& literal, Surface& surface) {
  const Spelling& spelling = *literal.spelling;
  const std::size_t last = literal.first + spelling.ids.size() - 1;
  std::size_t begin = surface.spans[literal.first].begin;
  const std::size_t end = surface.spans[last].end;
  while (begin < end && surface.text[begin] == ' ') ++begin;
  if (surface.text.compare(begin, end - begin, spelling.text) == 0) return;
  surface.text.replace(begin, end - begin, spelling.text);
  const std::size_t new_end = begin + spelling.text.size();
  for (std::size_t i = literal.first; i <= last; ++i) {
    const text::Span& within = spelling.spans[i - literal.first];
    surface.spans[i] = {static_cast<std::uint32_t>(begin + within.begin),
                        static_cast<std::uint32_t>(begin + within.end)};
  }
  const auto moved = [&](std::uint32_t at) { return static_cast<std::uint32_t>(at + new_end - end); };
  for (std::size_t i = last + 1; i < surface.spans.size(); ++i)
    surface.spans[i] = {moved(surface.spans[i].begin), moved(surface.spans[i].end)};
}

}  // namespace

Spelling spell(const text::Tokenizer& tokenizer, const std::string& words) {
  text::Encoded encoded = tokenizer.encode_spans(words);
  return {words, std::move(encoded.ids), std::move(encoded.spans)};
}

Spelling spell_in_sentence(const text::Tokenizer& tokenizer, const std::string& words) {
  const std::string before = "x ";
  const text::Encoded one = tokenizer.encode_spans("x"), both = tokenizer.encode_spans(before + words);
  const auto shared = std::ssize(one.ids);
  if (both.ids.size() <= one.ids.size() || !std::equal(one.ids.begin(), one.ids.end(), both.ids.begin()))
    return spell(tokenizer, words);
  Spelling spelling{
      words, {both.ids.begin() + shared, both.ids.end()}, {both.spans.begin() + shared, both.spans.end()}};
  const auto within = [&](std::uint32_t at) {
    return at < before.size() ? 0 : at - static_cast<std::uint32_t>(before.size());
  };
  for (text::Span& span : spelling.spans) span = {within(span.begin), within(span.end)};
  return spelling;
}

Spelling spell_prefix(const text::Tokenizer& tokenizer, const std::string& words, bool is_in_capitals) {
  const auto decodes = [&](const Spelling& spelling) { return tokenizer.decode(spelling.ids) == words; };
  Spelling spelling = spell(tokenizer, words);
  if (!is_in_capitals && text::is_in_capitals(words))
    if (Spelling plain = spell_in_sentence(tokenizer, words); decodes(plain)) spelling = std::move(plain);
  if (!text::opens_or_links(text::code_point_before(words, words.size()).code)) return spelling;
  const Spelling next = spell_in_sentence(tokenizer, "x");
  Spelling joined = spell(tokenizer, words + "x");
  if (joined.ids.size() <= next.ids.size() || !std::equal(next.ids.rbegin(), next.ids.rend(), joined.ids.rbegin()))
    return spelling;
  joined.text = words;
  joined.ids.resize(joined.ids.size() - next.ids.size());
  joined.spans.resize(joined.ids.size());
  return decodes(joined) ? joined : spelling;
}

Surface decode(const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::span<const Literal> literals) {
  Surface surface{tokenizer.decode(ids), {}};
  surface.spans = target_spans(tokenizer, ids, surface.text);
  for (const Literal& literal : literals) write(literal, surface);
  return surface;
}

}  // namespace dragoman::search
