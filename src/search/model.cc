#include "search/model.h"

#include <algorithm>

#include "models/families.h"
#include "search/options.h"
#include "search/statistical_model.h"

namespace dragoman::search {
namespace {

store::ModelFile open_neural(const std::string& path) {
  try {
    return store::ModelFile(path);
  } catch (const Error&) {
    check(!is_statistical(store::SafetensorsFile(path)),
          "{}: is a statistical model, which translates but does not score given translations; expected a neural model",
          path);
    throw;
  }
}

}  // namespace

Model::Model(const std::string& path, const Placement& where) : Model(open_neural(path), path, where) {}

Model::Model(const store::ModelFile& file, const std::string& path, const Placement& where)
    : path_(path), where_(file.placed(where)), info_(file.info()) {
  prepare();
  file.load(network_->parameters());
  finish();
}

Model::Model(const store::ModelInfo& info, const nn::Parameters& weights, std::string name, WeightFormat format)
    : path_(std::move(name)),
      where_{.device = weights.weights().device(),
             .type = weights.copy().defined() ? DType::bf16 : DType::f32,
             .weights = format},
      info_(info) {
  prepare();
  const std::vector<float> values = weights.weights().to_host<float>();
  network_->parameters().weights().copy_from(values.data());
  network_->parameters().refresh();
  finish();
}

void Model::finish() {
  network_->parameters().pack(where_.weights);
  network_->parameters().weights().device().wait();  // other threads will read them
}

void Model::prepare() {
  check(info_.config.classes == 0,
        "{}: is a classifier of {} classes, which does not translate; `dragoman classify` uses it", path_,
        info_.config.classes);
  check(!info_.source_tokenizer.empty() && !info_.target_tokenizer.empty(),
        "{}: contains no vocabularies, so it cannot read text; models written by `dragoman train` contain them", path_);
  source_ = text::deserialize_tokenizer(info_.source_tokenizer);
  target_ = text::deserialize_tokenizer(info_.target_tokenizer);
  check(source_->size() <= info_.config.source_vocabulary && target_->size() <= info_.config.target_vocabulary,
        "{}: vocabularies of {} and {} ids do not fit a model of {} and {}", path_, source_->size(), target_->size(),
        info_.config.source_vocabulary, info_.config.target_vocabulary);
  check_marks();
  network_ = std::make_unique<models::Seq2seq>(info_.config);
  network_->parameters().allocate(where_.device, where_.type, std::nullopt, false);
}

void Model::check_marks() const {
  if (info_.language_marks != store::LanguageMarks::target_before_source)
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

text::Encoded Model::encode_source_spans(std::string_view text, const Direction& direction) const {
  text::Encoded encoded = source_->encode_spans(text);
  const auto size = static_cast<std::uint32_t>(text.size());
  const auto prepend = [&](std::int32_t mark) {
    encoded.ids.insert(encoded.ids.begin(), mark);
    encoded.spans.insert(encoded.spans.begin(), text::Span{});
  };
  const auto append = [&](std::int32_t mark) {
    encoded.ids.push_back(mark);
    encoded.spans.push_back({size, size});
  };
  const bool names_target = info_.language_marks == store::LanguageMarks::target_before_source;
  const std::int32_t tag = names_target
                               ? source_->language_tags().choose(direction.to)
                               : source_->language_tags().choose(direction.from, text::LanguageTags::Side::source);
  const bool tagged = tag != text::LanguageTags::kNone;
  const bool after = info_.language_marks == store::LanguageMarks::source_after_end;
  if (tagged && !after) prepend(tag);
  if (info_.source_begin) prepend(source_->special().begin);
  if (info_.source_end) append(source_->special().end);
  if (tagged && after) append(tag);
  return encoded;
}

Tokens Model::target_start(const Direction& direction) const {
  Tokens start = info_.target_start ? *info_.target_start : Tokens{target_->special().begin};
  if (info_.language_marks != store::LanguageMarks::target_before_source)
    start.push_back(target_->language_tags().choose(direction.to));
  return start;
}

void Model::check_direction(const Direction& direction) const {
  if (info_.language_marks == store::LanguageMarks::target_before_source) {
    source_->language_tags().choose(direction.to);
    return;
  }
  source_->language_tags().choose(direction.from, text::LanguageTags::Side::source);
  target_->language_tags().choose(direction.to);
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

// A model that needs languages reads the tag of one of them beside the other tokens of the start.
int Model::max_target() const {
  const int start = static_cast<int>(info_.target_start ? info_.target_start->size() : 1) +
                    (info_.language_marks == store::LanguageMarks::target_before_source ? 0 : 1);
  return search::max_target(info_.config) + 1 - start;
}

bool Model::aligns() const {
  return models::family_of(info_.config).attends_to_source(info_.config) && info_.config.attention.linformer == 0;
}

int max_target(const models::ModelConfig& config) {
  return std::min(models::family_of(config).max_positions(config), kMostTokens) - 1;
}

Tokens never_written(const text::Tokenizer& target, int target_vocabulary) {
  Tokens ids = target.never_written();
  for (std::int32_t id = target.size(); id < target_vocabulary; ++id) ids.push_back(id);
  return ids;
}

}  // namespace dragoman::search
