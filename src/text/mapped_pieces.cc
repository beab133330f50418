#include "text/mapped_pieces.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <set>

#include "base/bounded_json.h"
#include "base/error.h"
#include "base/quote.h"
#include "text/sentencepiece_model.h"
#include "text/tokenizer_file.h"
#include "text/unicode.h"

namespace dragoman::text {
namespace {

// SentencePiece's sign for a space.
constexpr std::string_view kSpace = "\u2581";
// What an unknown id becomes in a text; not a piece of any model, so SentencePiece copies it.
constexpr const char* kUnknownText = "\u2581<unk>";

// SentencePiece copies pieces that its model lacks, such as those of the other language, with their signs for spaces.
std::string with_spaces(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(kSpace), text.size());
    result += text.substr(0, at);
    if (at == text.size()) break;
    result += ' ';
    text.remove_prefix(at + kSpace.size());
  }
  const std::size_t first = result.find_first_not_of(' '), last = result.find_last_not_of(' ');
  return first == std::string::npos ? "" : result.substr(first, last - first + 1);
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (!point.valid) return false;
    at += point.length;
  }
  return true;
}

}  // namespace

MappedPieces::MappedPieces(std::string model, PieceMap map)
    : model_(std::move(model)), map_(std::move(map)), processor_(load_sentencepiece(model_)) {
  check_map();
  for (std::size_t id = 0; id < map_.pieces.size(); ++id) {
    const std::string& piece = map_.pieces[id];
    if (piece.empty()) continue;
    check(is_utf8(piece), "subwords: the piece of the id {} is not valid UTF-8", id);
    check(ids_.emplace(piece, static_cast<std::int32_t>(id)).second, "subwords: the piece '{}' has two ids",
          excerpt(piece));
  }
  special_.resize(map_.pieces.size());
  for (const std::int32_t id : {map_.special.begin, map_.special.end, map_.special.pad}) special_[id] = true;
  for (const std::int32_t id : map_.tags.ids) special_[id] = true;
  for (std::size_t id = 0; id < special_.size(); ++id) special_[id] = special_[id] || map_.pieces[id].empty();
  for (int number = 0; number < processor_->GetPieceSize(); ++number) {
    const bool text = !processor_->IsControl(number) && !processor_->IsUnknown(number);
    by_number_.push_back(text ? find_text(processor_->IdToPiece(number)) : map_.special.unknown);
  }
}

MappedPieces::~MappedPieces() = default;

void MappedPieces::check_map() const {
  check(!map_.pieces.empty(), "subwords: the list of pieces is empty");
  for (const std::int32_t id : {map_.special.unknown, map_.special.begin, map_.special.end, map_.special.pad})
    check_id(id);
  check(map_.special.unknown != map_.special.end && map_.special.unknown != map_.special.pad &&
            map_.special.end != map_.special.pad,
        "subwords: the unknown token, the end of a sentence and padding must have different ids");
  for (const std::int32_t id : map_.never) check_id(id);
  check(map_.tags.languages.size() == map_.tags.ids.size(), "subwords: {} languages have {} tags",
        map_.tags.languages.size(), map_.tags.ids.size());
  std::set<std::string_view> names;
  for (const std::string& language : map_.tags.languages)
    check(!language.empty() && names.insert(language).second, "subwords: the language '{}' occurs twice",
          excerpt(language));
  for (const std::int32_t id : map_.tags.ids) check_id(id);
}

void MappedPieces::check_id(std::int32_t id) const {
  check(id >= 0 && id < size(), "subwords: expected an id from 0 to {} but got {}", size() - 1, id);
}

std::int32_t MappedPieces::find_text(std::string_view piece) const {
  const auto found = ids_.find(piece);
  if (found == ids_.end() || special_[static_cast<std::size_t>(found->second)]) return map_.special.unknown;
  return found->second;
}

void MappedPieces::encode(std::string_view line, std::vector<std::int32_t>& ids) const {
  std::vector<int> numbers;
  check(processor_->Encode(line, &numbers).ok(), "subwords: the SentencePiece model cannot encode '{}'", excerpt(line));
  if (std::any_of(numbers.begin(), numbers.end(), [this](int number) { return processor_->IsUnknown(number); })) {
    const std::vector<std::int32_t> found = encode_spans(line).ids;
    ids.insert(ids.end(), found.begin(), found.end());
    return;
  }
  for (const int number : numbers) ids.push_back(by_number_[static_cast<std::size_t>(number)]);
}

Encoded MappedPieces::encode_spans(std::string_view line) const {
  Encoded encoded;
  const auto proto = processor_->EncodeAsImmutableProto(line);
  for (const auto& piece : proto.pieces()) {
    // The list may have characters that the SentencePiece model lacks, such as those of the other language.
    const bool unknown = processor_->IsUnknown(static_cast<int>(piece.id()));
    encoded.ids.push_back(unknown ? find_text(piece.piece()) : by_number_[piece.id()]);
    encoded.spans.push_back({piece.begin(), piece.end()});
  }
  return encoded;
}

std::string MappedPieces::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) {
    check_id(id);
    if (id == map_.special.unknown)
      pieces.emplace_back(kUnknownText);
    else if (!special_[static_cast<std::size_t>(id)])
      pieces.push_back(map_.pieces[static_cast<std::size_t>(id)]);
  }
  std::string text;
  check(processor_->Decode(pieces, &text).ok(), "subwords: the SentencePiece model cannot decode these pieces");
  return with_spaces(text);
}

std::string MappedPieces::piece(std::int32_t id) const {
  check_id(id);
  return map_.pieces[static_cast<std::size_t>(id)];
}

std::vector<std::int32_t> MappedPieces::never_written() const {
  std::vector<std::int32_t> ids = map_.never;
  if (std::find(ids.begin(), ids.end(), map_.special.pad) == ids.end()) ids.push_back(map_.special.pad);
  return ids;
}

std::string MappedPieces::serialize() const {
  const SpecialIds& special = map_.special;
  nlohmann::json pieces = map_.pieces;
  const JsonReleaser releaser(pieces);
  return pack({{{"kind", kMappedKind},
                {"multiple", 1},
                {"model-bytes", model_.size()},
                {"special", {special.unknown, special.begin, special.end, special.pad}},
                {"languages", map_.tags.languages},
                {"tags", map_.tags.ids},
                {"never", map_.never}},
               model_ + pieces.dump()});
}

}  // namespace dragoman::text
