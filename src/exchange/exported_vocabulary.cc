#include "exchange/exported_vocabulary.h"

#include <set>

#include "base/error.h"
#include "text/piece_ids.h"
#include "text/tokenizer_file.h"

namespace dragoman::exchange {
namespace {

// The tokenizer that splits text, below the tags of languages.
text::TokenizerFile text_tokenizer(const std::string& bytes) {
  text::TokenizerFile file = text::unpack(bytes);
  while (file.header.value("kind", "") == text::kTaggedKind) file = text::unpack(file.data);
  return file;
}

void read_subwords(const std::string& bytes, ExportedVocabulary& to) {
  text::TokenizerFile file = text_tokenizer(bytes);
  const std::string kind = file.header.value("kind", "");
  if (kind == text::kMappedKind) {
    to.subwords = file.data.substr(0, file.header.value("model-bytes", std::size_t{0}));
  } else if (kind == "bpe" || kind == "unigram") {
    to.subwords = std::move(file.data);
    Settings(to.text).read_yaml(file.header.value("options", ""), "tokenizer");
  }
}

// Names the special ids and the ids that exist only for rounding, which have no spelling of their own.
void name_all(ExportedVocabulary& vocabulary) {
  std::vector<std::string>& pieces = vocabulary.pieces;
  std::set<std::string> known(pieces.begin(), pieces.end());
  const auto name = [&](std::size_t id, std::string piece) {
    if (!pieces[id].empty()) return;
    while (known.contains(piece)) piece += '_';
    known.insert(pieces[id] = std::move(piece));
  };
  const text::SpecialIds& special = vocabulary.special;
  name(static_cast<std::size_t>(special.unknown), "<unk>");
  name(static_cast<std::size_t>(special.end), "</s>");
  name(static_cast<std::size_t>(special.pad), "<pad>");
  name(static_cast<std::size_t>(special.begin), "<s>");
  for (std::size_t id = 0; id < pieces.size(); ++id) name(id, "<unused" + std::to_string(id) + ">");
}

}  // namespace

ExportedVocabulary vocabulary_of(const ExportedModel& model, Side side) {
  const bool is_source = side == Side::source;
  const std::string& bytes = is_source ? model.info().source_tokenizer : model.info().target_tokenizer;
  check(!bytes.empty(), "{}: has no vocabulary of the {}", model.path(), is_source ? "source" : "target");
  const int ids = is_source ? model.config().source_vocabulary : model.config().target_vocabulary;
  const std::unique_ptr<text::Tokenizer> tokenizer = text::deserialize_tokenizer(bytes);
  check(tokenizer->size() <= ids, "{}: the vocabulary of the {} has {} tokens, but the model has {}", model.path(),
        is_source ? "source" : "target", tokenizer->size(), ids);
  ExportedVocabulary result{.special = tokenizer->special(),
                            .tags = tokenizer->language_tags(),
                            .never = text::never_written(*tokenizer, ids)};
  for (std::int32_t id = 0; id < ids; ++id) result.pieces.push_back(id < tokenizer->size() ? tokenizer->piece(id) : "");
  name_all(result);
  read_subwords(bytes, result);
  return result;
}

}  // namespace dragoman::exchange
