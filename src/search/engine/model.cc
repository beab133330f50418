#include "search/engine/model.h"

#include <algorithm>
#include <future>

#include "base/text_value.h"
#include "base/threads.h"
#include "models/families.h"
#include "search/engine/options.h"
#include "search/words.h"

namespace dragoman::search {
namespace {

// What surrounds a language at the beginning of a text.
constexpr std::string_view kTagBegin = ">>", kTagEnd = "<<";

}  // namespace

Model::Model(const std::string& path, const Placement& where) : Model(store::ModelFile(path), path, where) {}

// SentencePiece builds its trie on one thread while the others read and pack the weights.
Model::Model(const store::ModelFile& file, const std::string& path, const Placement& where)
    : path_(path), where_(file.placed(where)), info_(file.info()) {
  check_kind();
  const auto policy = threads::count() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
  std::future<void> vocabularies = std::async(policy, [this] { read_vocabularies(); });
  network_ = std::make_unique<models::Seq2seq>(info_.config);
  file.load_packed(network_->parameters(), where_);
  vocabularies.get();
}

Model::Model(const store::ModelInfo& info, const nn::Parameters& weights, std::string name, WeightFormat format)
    : path_(std::move(name)),
      where_{.device = weights.weights().device(),
             .type = weights.copy().defined() ? DType::bf16 : DType::f32,
             .weights = format},
      info_(info) {
  check_kind();
  read_vocabularies();
  network_ = std::make_unique<models::Seq2seq>(info_.config);
  nn::Parameters& own = network_->parameters();
  own.allocate(where_.device, where_.type, std::nullopt, false);
  const std::vector<float> values = weights.weights().to_host<float>();
  own.weights().copy_from(values.data());
  own.refresh();
  own.pack(where_.weights);
  where_.device.wait();  // other threads will read them
}

void Model::check_kind() const {
  check(info_.config.classes == 0,
        "{}: is a classifier of {} classes, which does not translate; `dragoman classify` uses it", path_,
        info_.config.classes);
  check(!info_.source_tokenizer.empty() && !info_.target_tokenizer.empty(),
        "{}: contains no vocabularies, so it cannot read text; models written by `dragoman train` contain them", path_);
}

void Model::read_vocabularies() {
  source_ = text::deserialize_tokenizer(info_.source_tokenizer, path_);
  const bool shared = info_.source_tokenizer == info_.target_tokenizer;
  target_ = shared ? source_ : text::deserialize_tokenizer(info_.target_tokenizer, path_);
  source_pieces_ = std::make_unique<text::PieceIds>(*source_);
  target_pieces_ = std::make_unique<text::PieceIds>(*target_);
  check(source_->size() <= info_.config.source_vocabulary && target_->size() <= info_.config.target_vocabulary,
        "{}: vocabularies of {} and {} ids do not fit a model of {} and {}", path_, source_->size(), target_->size(),
        info_.config.source_vocabulary, info_.config.target_vocabulary);
  check_marks();
}

void Model::check_marks() const {
  if (!names_target())
    check(!source_->language_tags().languages.empty() && !target_->language_tags().languages.empty(),
          "{}: its sentences begin with tags of languages, but its vocabularies have none", path_);
  else
    check(!info_.target_start || !info_.target_start->empty(), "{}: its translations begin with no token", path_);
  for (const std::int32_t id : info_.target_start ? *info_.target_start : Tokens{})
    check(id >= 0 && id < info_.config.target_vocabulary, "{}: its translations begin with token {} of {}", path_, id,
          info_.config.target_vocabulary);
}

Tokens Model::encode_source(std::string_view text, const Direction& direction) const {
  return encode_source_spans(text, direction).ids;
}

std::string_view Model::language_in(std::string_view text) const {
  if (!names_target() || !text.starts_with(kTagBegin)) return {};
  const std::size_t end = text.find(kTagEnd);
  if (end == std::string_view::npos) return {};
  const std::string_view language = text.substr(kTagBegin.size(), end - kTagBegin.size());
  return is_tag_of_text(language) ? language : std::string_view();
}

std::size_t Model::tag_size(std::string_view text) const {
  const std::string_view language = language_in(text);
  return language.empty() ? 0 : kTagBegin.size() + language.size() + kTagEnd.size();
}

bool Model::is_tag_of_text(std::string_view language) const {
  const std::int32_t id = source_->language_tags().find(language);
  return id != text::LanguageTags::kNone &&
         source_->piece(id) == std::string(kTagBegin).append(language).append(kTagEnd);
}

text::Encoded Model::encode_source_spans(std::string_view text, const Direction& direction) const {
  const auto tag = static_cast<std::uint32_t>(tag_size(text));
  text::Encoded encoded = source_->encode_spans(text.substr(tag));
  for (text::Span& span : encoded.spans) span = {span.begin + tag, span.end + tag};
  add_marks(encoded, tag > 0 ? source_->language_tags().find(language_in(text)) : source_tag(direction), text.size());
  return encoded;
}

bool Model::names_target() const { return info_.language_marks == store::LanguageMarks::target_before_source; }

std::int32_t Model::source_tag(const Direction& direction) const {
  const text::LanguageTags& tags = source_->language_tags();
  return names_target() ? tags.choose(direction.to) : tags.choose(direction.from, text::LanguageTags::Side::source);
}

Tokens Model::source_ids(std::span<const std::string> tokens) const {
  Tokens ids;
  for (const std::string& token : tokens) ids.push_back(source_pieces_->find(token));
  return ids;
}

Model::GivenText Model::encode_source_tokens(std::span<const std::string> tokens, const Direction& direction) const {
  check(std::ssize(tokens) <= max_source() + source_marks(),
        "a sentence of {} tokens is longer than the {} that {} can take", tokens.size(), max_source(), path_);
  GivenText given;
  Tokens& ids = given.encoded.ids;
  ids = source_ids(tokens);
  const std::int32_t tag = take_marks(ids);
  const std::string_view asked = names_target() ? direction.to : direction.from;
  const bool is_tagged = tag != text::LanguageTags::kNone;
  check(!is_tagged || asked.empty() || source_tag(direction) == tag,
        "the tokens name another language than the request, {}", asked);
  given.text = source_->decode(ids);
  given.encoded.spans = target_spans(*source_, ids, given.text);
  add_marks(given.encoded, is_tagged ? tag : source_tag(direction), given.text.size());
  return given;
}

std::int32_t Model::take_marks(Tokens& ids) const {
  const text::LanguageTags& tags = source_->language_tags();
  const auto is_tag = [&](std::int32_t id) {
    return std::find(tags.ids.begin(), tags.ids.end(), id) != tags.ids.end();
  };
  const bool after = info_.language_marks == store::LanguageMarks::source_after_end;
  std::int32_t tag = text::LanguageTags::kNone;
  if (after && !ids.empty() && is_tag(ids.back())) {
    tag = ids.back();
    ids.pop_back();
  }
  if (!ids.empty() && ids.back() == source_->special().end) ids.pop_back();
  if (!ids.empty() && ids.front() == source_->special().begin) ids.erase(ids.begin());
  if (!after && !ids.empty() && is_tag(ids.front())) {
    tag = ids.front();
    ids.erase(ids.begin());
  }
  return tag;
}

Tokens Model::encode_target_tokens(std::span<const std::string> tokens) const {
  check(std::ssize(tokens) <= max_target() + 1, "a target of {} tokens is longer than the {} that {} can take",
        tokens.size(), max_target(), path_);
  Tokens ids;
  for (const std::string& token : tokens) ids.push_back(target_pieces_->find(token));
  if (!ids.empty() && ids.back() == target_->special().end) ids.pop_back();
  return ids;
}

void Model::add_marks(text::Encoded& encoded, std::int32_t tag, std::size_t text_size) const {
  const auto size = static_cast<std::uint32_t>(text_size);
  const auto prepend = [&](std::int32_t mark) {
    encoded.ids.insert(encoded.ids.begin(), mark);
    encoded.spans.insert(encoded.spans.begin(), text::Span{});
  };
  const auto append = [&](std::int32_t mark) {
    encoded.ids.push_back(mark);
    encoded.spans.push_back({size, size});
  };
  const bool tagged = tag != text::LanguageTags::kNone;
  const bool after = info_.language_marks == store::LanguageMarks::source_after_end;
  if (tagged && !after) prepend(tag);
  if (info_.source_begin) prepend(source_->special().begin);
  if (info_.source_end) append(source_->special().end);
  if (tagged && after) append(tag);
}

Tokens Model::target_start(const Direction& direction) const {
  Tokens start = info_.target_start ? *info_.target_start : Tokens{target_->special().begin};
  if (!names_target()) start.push_back(target_->language_tags().choose(direction.to));
  return start;
}

void Model::check_direction(const Direction& direction) const {
  const std::vector<std::string>& languages = source_->language_tags().languages;
  const bool in_texts = names_target() && !languages.empty() && is_tag_of_text(languages[0]);
  if (!in_texts || !direction.to.empty()) source_tag(direction);
  if (!names_target()) target_->language_tags().choose(direction.to);
}

std::span<const TokenEdges> Model::target_edges() const {
  std::call_once(has_target_edges_, [this] {
    target_edges_ = token_edges(*target_);
    target_edges_.resize(static_cast<std::size_t>(info_.config.target_vocabulary));
  });
  return target_edges_;
}

int Model::source_marks() const {
  return (info_.source_begin ? 1 : 0) + (source_->language_tags().languages.empty() ? 0 : 1) +
         (info_.source_end ? 1 : 0);
}

int max_source_rows(const models::ModelConfig& config) {
  const int limit = std::min(models::family_of(config).max_positions(config),
                             config.attention.linformer > 0 ? config.attention.linformer_length : models::kNoLimit);
  return std::min(limit, kMostTokens);
}

int Model::max_source() const { return max_source_rows(info_.config) - source_marks(); }

int Model::longest_learned() const {
  const auto entry = info_.card.find(store::kLongestCard);
  if (entry == info_.card.end()) return kMostTokens;
  const std::int64_t tokens = text_value::parse_integer(entry->second);
  check(tokens >= 1, "{}: {} must be at least 1, but it is {}", path_, store::kLongestCard, tokens);
  return static_cast<int>(std::min<std::int64_t>(tokens, kMostTokens));
}

// A model that needs languages reads the tag of one of them beside the other tokens of the start.
int Model::max_target() const {
  const int start = static_cast<int>(info_.target_start ? info_.target_start->size() : 1) + (names_target() ? 0 : 1);
  return search::max_target(info_.config) + 1 - start;
}

bool Model::aligns() const {
  return models::family_of(info_.config).attends_to_source(info_.config) && info_.config.attention.linformer == 0;
}

int max_target(const models::ModelConfig& config) {
  return std::min(models::family_of(config).max_positions(config), kMostTokens) - 1;
}

}  // namespace dragoman::search
