#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

// Translation into several languages with one model (Johnson et al. 2017): a token before the source sentence, such as
// <2de>, names the language to translate into.
namespace dragoman::text {

// A direction of translation, written "en-de". Codes of languages consist of letters, digits and underscores.
struct LanguagePair {
  std::string source, target;

  // None if the text is not such a pair.
  static std::optional<LanguagePair> read(std::string_view text);
  // Throws Error if the text is not such a pair.
  static LanguagePair parse(std::string_view text);
  // Pairs separated by spaces.
  static std::vector<LanguagePair> parse_all(std::string_view text);
  std::string show() const { return source + "-" + target; }
  bool operator==(const LanguagePair&) const = default;
};

// The entry of a model card that lists the directions of a model: "en-de de-en".
inline constexpr const char* kLanguagesCard = "languages";

// A tokenizer with one more id for each target language, after the ids of the text. No text contains a tag: what looks
// like one is encoded as any other text.
class TaggedTokenizer final : public Tokenizer {
 public:
  // The number of ids is rounded up to a multiple of `multiple`.
  TaggedTokenizer(std::shared_ptr<const Tokenizer> text, std::vector<std::string> languages, int multiple);

  void encode(std::string_view line, std::vector<std::int32_t>& ids) const override { text_->encode(line, ids); }
  Encoded encode_spans(std::string_view line) const override { return text_->encode_spans(line); }
  void encode_sampled(std::string_view line, double strength, Random& random,
                      std::vector<std::int32_t>& ids) const override {
    text_->encode_sampled(line, strength, random, ids);
  }
  // Drops tags.
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::int32_t size() const override { return size_; }
  SpecialIds special() const override { return text_->special(); }
  std::string piece(std::int32_t id) const override;
  std::string serialize() const override;
  const LanguageTags& language_tags() const override { return tags_; }
  // Tags, and the ids that exist only for rounding.
  std::vector<std::int32_t> never_written() const override;

 private:
  void check_id(std::int32_t id) const;

  std::shared_ptr<const Tokenizer> text_;
  LanguageTags tags_;
  std::int32_t first_tag_;
  int multiple_;
  std::int32_t size_;
};

}  // namespace dragoman::text
