#include "search/engine/classifier_model.h"

#include <algorithm>

#include "data/utf8.h"
#include "search/engine/model.h"
#include "search/words.h"
#include "text/vocabulary.h"

namespace dragoman::search {
namespace {

// A label as one line of valid UTF-8 without control characters: results have one line per text.
std::string printable(const std::string& label) {
  std::string text = data::replace_invalid_utf8(label);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

ClassifierModel::ClassifierModel(const std::string& path, const Placement& where)
    : ClassifierModel(store::ModelFile(path), path, where) {}

ClassifierModel::ClassifierModel(const store::ModelFile& file, const std::string& path, const Placement& where)
    : path_(path), where_(file.placed(where)), info_(file.info()) {
  check_kind();
  source_ = text::deserialize_tokenizer(info_.source_tokenizer, path_);
  check(source_->size() <= info_.config.source_vocabulary, "{}: a vocabulary of {} ids does not fit a model of {}",
        path_, source_->size(), info_.config.source_vocabulary);
  check(max_tokens() > 0, "{}: reads at most {} tokens, which leaves none for text", path_,
        max_source_rows(info_.config));
  read_labels();
  network_ = std::make_unique<models::Classifier>(info_.config);
  file.load_packed(network_->parameters(), where_);
}

void ClassifierModel::check_kind() const {
  check(info_.config.classes > 0, "{}: is a translation model, not a classifier; `dragoman translate` uses it", path_);
  check(!info_.source_tokenizer.empty(),
        "{}: contains no vocabulary, so it cannot read text; models written by `dragoman train` contain one", path_);
}

void ClassifierModel::read_labels() {
  const int classes = info_.config.classes;
  labels_.resize(static_cast<std::size_t>(classes));
  if (!info_.target_tokenizer.empty()) {
    target_ = text::deserialize_tokenizer(info_.target_tokenizer, path_);
    check(target_->size() - text::Vocabulary::kSpecial == classes, "{}: its {} labels do not fit its {} classes", path_,
          target_->size() - text::Vocabulary::kSpecial, classes);
  }
  for (std::int32_t c = 0; c < classes; ++c) {
    std::string& label = labels_[static_cast<std::size_t>(c)];
    const std::int32_t id = c + text::Vocabulary::kSpecial;
    if (target_) label = printable(target_->decode({&id, 1}));
    if (label.empty()) label = std::to_string(c);
  }
}

std::optional<std::int32_t> ClassifierModel::find_label(std::string_view label) const {
  if (!target_) {
    const auto found = std::find(labels_.begin(), labels_.end(), label);
    if (found == labels_.end()) return std::nullopt;
    return static_cast<std::int32_t>(found - labels_.begin());
  }
  Tokens ids;
  target_->encode(label, ids);
  if (ids.size() != 1 || ids[0] < text::Vocabulary::kSpecial) return std::nullopt;
  return ids[0] - text::Vocabulary::kSpecial;
}

ClassifierModel::Encoded ClassifierModel::encode(std::string_view text, int limit) const {
  Encoded encoded;
  std::string replaced;
  if (data::find_invalid_utf8(text) != std::string_view::npos) text = replaced = data::replace_invalid_utf8(text);
  if (count_display_words(text) == 0) return encoded;
  Tokens& ids = encoded.ids;
  if (info_.source_begin) ids.push_back(source_->special().begin);
  const std::size_t most = ids.size() + static_cast<std::size_t>(std::min(limit, max_tokens()));
  source_->encode(text, ids);
  encoded.truncated = ids.size() > most;
  if (encoded.truncated) ids.resize(most);
  if (info_.source_end) ids.push_back(source_->special().end);
  return encoded;
}

int ClassifierModel::max_tokens() const {
  return max_source_rows(info_.config) - (info_.source_begin ? 1 : 0) - (info_.source_end ? 1 : 0);
}

}  // namespace dragoman::search
