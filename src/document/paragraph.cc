#include "document/paragraph.h"

#include <algorithm>

#include "document/addresses.h"
#include "document/markup_tokens.h"
#include "text/sentences.h"
#include "text/unicode.h"

namespace dragoman::document {
namespace {

// A longer sentence is cut at a comma or a space. Bounds the work of placing tags.
constexpr std::size_t kLongestSegment = 4096;

bool is_latin(char32_t code) { return code < 0x250 || (code >= 0x1e00 && code <= 0x1eff); }

// Whether there is a letter that the language is written with.
bool has_letter(std::string_view text, text::Language language) {
  const bool only_latin = language == text::Language::english || language == text::Language::german;
  for (std::size_t at = 0; at < text.size();) {
    const text::CodePoint point = text::code_point_at(text, at);
    if (text::classify(point.code) == text::CharClass::letter && (!only_latin || is_latin(point.code))) return true;
    at += point.length;
  }
  return false;
}

bool ends_clause(char c) { return std::string_view(".,;:!?)").find(c) != std::string_view::npos; }

// Calls `plain` with the stretches between addresses and emoji in `text`, which begins at `begin`, and `address` with
// these.
template <class Plain, class Address>
void each_stretch(std::string_view text, std::size_t begin, Plain&& plain, Address&& address) {
  for (std::size_t at = 0; at < text.size();) {
    const Range found = find_kept_with_marks(text, at);
    plain(text.substr(at, found.begin - at), begin + at);
    if (found.begin < found.end) address(Range{begin + found.begin, begin + found.end});
    at = found.end;
  }
}

std::vector<text::Span> cut(std::string_view text, const Options& options) {
  const text::Span whole{0, static_cast<std::uint32_t>(text.size())};
  const bool at_sentences = options.split != Split::lines;
  std::vector<text::Span> parts;
  for (const text::Span& sentence :
       at_sentences ? text::split_sentences(text, options.language) : std::vector<text::Span>{whole}) {
    const auto fits = [](std::string_view part) { return part.size() <= kLongestSegment; };
    const std::string_view words = text.substr(sentence.begin, sentence.end - sentence.begin);
    for (const text::Span& part : text::split_to_fit(words, fits, options.language))
      parts.push_back({sentence.begin + part.begin, sentence.begin + part.end});
  }
  return parts;
}

}  // namespace

void Paragraph::append(std::string_view text, Range bytes, bool verbatim) {
  const bool continues =
      verbatim && !chunks_.empty() && chunks_.back().verbatim && chunks_.back().bytes.end == bytes.begin;
  if (continues)
    chunks_.back().bytes.end = bytes.end;
  else
    chunks_.push_back({text_.size(), bytes, verbatim});
  text_ += text;
}

void Paragraph::add_text(std::string_view text, std::size_t begin) {
  each_stretch(
      text, begin, [this](std::string_view plain, std::size_t at) { add_plain_text(plain, at); },
      [this](Range address) { add_address(address); });
}

void Paragraph::add_words(std::string_view text, std::size_t begin) {
  each_stretch(
      text, begin, [this](std::string_view plain, std::size_t at) { add_plain_words(plain, at); },
      [this](Range address) { add_address(address); });
}

// Spaces around points count once.
void Paragraph::add_plain_text(std::string_view text, std::size_t begin) {
  if (last_ == Last::tag && !text_.empty() && text_.back() == ' ' && text.starts_with(' ')) {
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    add_space({begin, begin + spaces});
    text.remove_prefix(spaces);
    begin += spaces;
  }
  if (text.empty()) return;
  if (last_ == Last::tag && text.front() == ' ') tags_.back().space_after = true;
  if (ends_clause(text.front())) drop_space_before_points();
  append(text, {begin, begin + text.size()}, true);
  last_ = Last::text;
}

// Between a word and a mark that ends a clause, points are no reason for a space in the text.
void Paragraph::drop_space_before_points() {
  if (last_ != Last::tag || text_.empty() || text_.back() != ' ') return;
  auto first = tags_.end();
  while (first != tags_.begin() && std::prev(first)->position == text_.size()) --first;
  if (std::any_of(first, tags_.end(), [](const Tag& tag) { return tag.kind != Tag::Kind::point; })) return;
  for (auto tag = first; tag != tags_.end(); ++tag) --tag->position;
  text_.pop_back();
  if (chunks_.back().begin == text_.size())
    chunks_.pop_back();
  else
    --chunks_.back().bytes.end;
}

void Paragraph::add_plain_words(std::string_view text, std::size_t begin) {
  for (std::size_t at = 0; at < text.size();) {
    const bool is_space = is_markup_space(text[at]);
    std::size_t end = at;
    while (end < text.size() && is_markup_space(text[end]) == is_space) ++end;
    if (is_space)
      add_space({begin + at, begin + end}, text.substr(at, end - at) == " ");
    else
      add_plain_text(text.substr(at, end - at), begin + at);
    at = end;
  }
}

void Paragraph::add_decoded(std::string_view text, Range bytes) {
  if (text.empty()) return;
  append(text, bytes, false);
  last_ = Last::text;
}

void Paragraph::add_space(Range bytes, bool verbatim) {
  if (last_ == Last::tag) tags_.back().space_after = true;
  last_ = Last::space;
  if (!text_.empty() && text_.back() != ' ') append(" ", bytes, verbatim);
}

int Paragraph::add_tag(Tag::Kind kind, Range bytes) {
  const bool space = last_ == Last::space || (last_ == Last::text && text_.back() == ' ');
  tags_.push_back({.kind = kind,
                   .bytes = bytes,
                   .position = text_.size(),
                   .partner = Tag::kNoPartner,
                   .space_before = space,
                   .space_after = false});
  last_ = Last::tag;
  return static_cast<int>(tags_.size()) - 1;
}

void Paragraph::add_point(Range bytes) { add_tag(Tag::Kind::point, bytes); }

void Paragraph::add_address(Range bytes) { options_.cuts_at_addresses ? finish() : add_point(bytes); }

void Paragraph::open(std::string_view name, Range bytes, Tag::Emptied emptied) {
  stack_.push_back({std::string(name), add_tag(Tag::Kind::open, bytes)});
  tags_.back().emptied = emptied;
  ++count_of_name_[stack_.back().name].open;
}

// Elements that are still open inside the one that ends overlap with it; their tags become points. A closing tag whose
// element is not open here belongs to one that was opened before the paragraph, unless it overlaps with others.
void Paragraph::close(std::string_view name, Range bytes) {
  Count& count = count_of_name_[std::string(name)];
  if (count.open == 0) {
    const bool overlaps = !stack_.empty() || count.overlapping > 0;
    if (count.overlapping > 0) --count.overlapping;
    add_tag(overlaps ? Tag::Kind::point : Tag::Kind::close, bytes);
    return;
  }
  for (; stack_.back().name != name; stack_.pop_back()) {
    tags_[static_cast<std::size_t>(stack_.back().tag)].kind = Tag::Kind::point;
    Count& inner = count_of_name_[stack_.back().name];
    --inner.open;
    ++inner.overlapping;
  }
  const int opening = stack_.back().tag, closing = add_tag(Tag::Kind::close, bytes);
  tags_[static_cast<std::size_t>(opening)].partner = closing;
  tags_.back().partner = opening;
  --count.open;
  stack_.pop_back();
}

void Paragraph::finish() {
  if (!text_.empty())
    for (const text::Span& part : cut(text_, options_))
      if (has_letter(std::string_view(text_).substr(part.begin, part.end - part.begin), options_.language))
        add_segment(part.begin, part.end);
  text_.clear();
  chunks_.clear();
  tags_.clear();
  stack_.clear();
  Counts().swap(count_of_name_);  // clear() would take time in proportion to the names of earlier paragraphs
  next_tag_ = 0;
  last_ = Last::nothing;
}

const Paragraph::Chunk& Paragraph::chunk_at(std::size_t position) const {
  const auto after = std::upper_bound(chunks_.begin(), chunks_.end(), position,
                                      [](std::size_t at, const Chunk& chunk) { return at < chunk.begin; });
  return *std::prev(after);
}

std::size_t Paragraph::begin_in_document(std::size_t position) const {
  const Chunk& chunk = chunk_at(position);
  return chunk.verbatim ? chunk.bytes.begin + position - chunk.begin : chunk.bytes.begin;
}

std::size_t Paragraph::end_in_document(std::size_t position) const {
  const Chunk& chunk = chunk_at(position - 1);
  return chunk.verbatim ? chunk.bytes.begin + position - chunk.begin : chunk.bytes.end;
}

// Tags at the ends of a segment belong to it only if they are directly beside its text and their partner is inside.
void Paragraph::add_segment(std::size_t begin, std::size_t end) {
  const auto before = [](const Tag& tag, std::size_t position) { return tag.position < position; };
  const auto first = tags_.begin() + static_cast<std::ptrdiff_t>(next_tag_);
  // Tags at `begin` come before the first character, those at `end` after the last one.
  const auto inner = std::lower_bound(first, tags_.end(), begin + 1, before);
  const auto inner_end = std::lower_bound(inner, tags_.end(), end, before);
  const std::size_t lead = find_lead(begin, end, static_cast<std::size_t>(inner - tags_.begin()));
  const std::size_t tail = find_tail(end, lead, static_cast<std::size_t>(inner_end - tags_.begin()));
  Segment segment{
      .text = text_.substr(begin, end - begin),
      .place = {begin_in_document(begin), end_in_document(end)},
      .tags = {tags_.begin() + static_cast<std::ptrdiff_t>(lead), tags_.begin() + static_cast<std::ptrdiff_t>(tail)}};
  for (Tag& tag : segment.tags) {
    tag.position -= begin;
    const bool is_inside = tag.partner >= static_cast<int>(lead) && tag.partner < static_cast<int>(tail);
    tag.partner = is_inside ? tag.partner - static_cast<int>(lead) : Tag::kNoPartner;
    segment.place.begin = std::min(segment.place.begin, tag.bytes.begin);
    segment.place.end = std::max(segment.place.end, tag.bytes.end);
  }
  next_tag_ = tail;
  segments_.push_back(std::move(segment));
}

// The index of the first tag of a segment: an opening tag before its first character whose partner is inside, or the
// first tag after that character, which has index `inner`.
std::size_t Paragraph::find_lead(std::size_t begin, std::size_t end, std::size_t inner) const {
  std::size_t lead = inner, beside = begin_in_document(begin);
  for (std::size_t i = inner; i-- > next_tag_ && tags_[i].position == begin && tags_[i].bytes.end == beside;) {
    beside = tags_[i].bytes.begin;
    if (tags_[i].kind != Tag::Kind::open || tags_[i].partner == Tag::kNoPartner) continue;
    if (tags_[static_cast<std::size_t>(tags_[i].partner)].position <= end) lead = i;
  }
  return lead;
}

// The index after the last tag of a segment, likewise.
std::size_t Paragraph::find_tail(std::size_t end, std::size_t lead, std::size_t inner_end) const {
  std::size_t tail = inner_end, beside = end_in_document(end);
  for (std::size_t i = inner_end; i < tags_.size() && tags_[i].position == end && tags_[i].bytes.begin == beside; ++i) {
    beside = tags_[i].bytes.end;
    if (tags_[i].kind == Tag::Kind::close && tags_[i].partner >= static_cast<int>(lead)) tail = i + 1;
  }
  return tail;
}

}  // namespace dragoman::document
