#include "text/language_tags.h"

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/join.h"
#include "base/quote.h"
#include "text/id_count.h"
#include "text/language_codes.h"
#include "text/tokenizer_file.h"

namespace dragoman::text {
namespace {

constexpr std::size_t kMostLanguages = 10'000;  // more than are spoken

bool is_code(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::optional<LanguagePair> LanguagePair::read(std::string_view text) {
  const std::size_t hyphen = std::min(text.find('-'), text.size());
  LanguagePair pair{std::string(text.substr(0, hyphen)), std::string(text.substr(std::min(hyphen + 1, text.size())))};
  if (!is_code(pair.source) || !is_code(pair.target)) return std::nullopt;
  return pair;
}

LanguagePair LanguagePair::parse(std::string_view text) {
  std::optional<LanguagePair> pair = read(text);
  check(pair.has_value(), "expected two languages, as in en-de (letters, digits and underscores), but got '{}'",
        excerpt(text));
  return *std::move(pair);
}

std::vector<LanguagePair> LanguagePair::parse_all(std::string_view text) {
  std::vector<LanguagePair> pairs;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) pairs.push_back(parse(word));
  return pairs;
}

std::int32_t LanguageTags::find(std::string_view language) const {
  const auto found = std::find(languages.begin(), languages.end(), language);
  return found == languages.end() ? kNone : ids[static_cast<std::size_t>(found - languages.begin())];
}

// A language that is not in the list may be written in another way (find_languages).
std::int32_t LanguageTags::choose(std::string_view language, Side side) const {
  const bool target = side == Side::target;
  const char* const way = target ? "into" : "from";
  if (languages.empty()) {
    check(language.empty(),
          "the {} language '{}' was asked for, but the model was trained on one direction only and has no choice of "
          "languages",
          target ? "target" : "source", excerpt(language));
    return kNone;
  }
  if (language.empty() && languages.size() == 1) return ids[0];
  check(!language.empty(), "the model translates {} {}; choose one of them (--{} {})", way,
        excerpt(join(languages, ", ")), target ? "to" : "from", languages[0]);
  if (const std::int32_t id = find(language); id != kNone) return id;
  const std::vector<std::string> meant = find_languages(language, languages);
  check(!meant.empty(), "the model does not translate {} '{}' but {} {}", way, excerpt(language), way,
        excerpt(join(languages, ", ")));
  check(meant.size() == 1, "'{}' may be {}; say which", excerpt(language), excerpt(join(meant, " or ")));
  return find(meant.front());
}

TaggedTokenizer::TaggedTokenizer(std::shared_ptr<const Tokenizer> text, std::vector<std::string> languages,
                                 int multiple)
    : text_(std::move(text)), tags_{std::move(languages), {}}, first_tag_(text_->size()), multiple_(multiple) {
  check(text_->language_tags().languages.empty(), "languages: the tokenizer already has tags for {}",
        join(text_->language_tags().languages, ", "));
  const std::vector<std::string>& all = tags_.languages;
  check(!all.empty() && all.size() <= kMostLanguages, "languages: expected 1 to {} target languages but got {}",
        kMostLanguages, all.size());
  for (auto language = all.begin(); language != all.end(); ++language) {
    check(is_code(*language), "languages: expected letters, digits and underscores but got '{}'", excerpt(*language));
    check(std::find(all.begin(), language, *language) == language, "languages: '{}' occurs twice", excerpt(*language));
  }
  size_ = rounded_id_count(static_cast<std::size_t>(first_tag_) + all.size(), multiple, "languages");
  for (std::size_t i = 0; i < all.size(); ++i) tags_.ids.push_back(first_tag_ + static_cast<std::int32_t>(i));
}

void TaggedTokenizer::check_id(std::int32_t id) const {
  check(id >= 0 && id < size_, "languages: expected an id from 0 to {} but got {}", size_ - 1, id);
}

std::string TaggedTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::int32_t> text;
  for (const std::int32_t id : ids) {
    check_id(id);
    if (id < first_tag_) text.push_back(id);
  }
  return text_->decode(text);
}

std::string TaggedTokenizer::piece(std::int32_t id) const {
  check_id(id);
  if (id < first_tag_) return text_->piece(id);
  const auto index = static_cast<std::size_t>(id - first_tag_);
  return index < tags_.languages.size() ? "<2" + tags_.languages[index] + ">" : "";
}

std::vector<std::int32_t> TaggedTokenizer::never_written() const {
  std::vector<std::int32_t> ids = text_->never_written();
  for (std::int32_t id = first_tag_; id < size_; ++id) ids.push_back(id);
  return ids;
}

std::string TaggedTokenizer::serialize() const {
  return pack({{{"kind", kTaggedKind}, {"multiple", multiple_}, {"languages", tags_.languages}}, text_->serialize()});
}

}  // namespace dragoman::text
