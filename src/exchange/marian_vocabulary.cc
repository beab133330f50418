#include "exchange/marian_vocabulary.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "text/mapped_pieces.h"
#include "text/sentencepiece_model.h"
#include "text/word_level.h"

namespace dragoman::exchange {
namespace {

constexpr const char* kUnknown = "<unk>";
constexpr const char* kEndPiece = "</s>";

// A line of a vocabulary in YAML: a piece, with or without quotes, and its id.
std::vector<std::string> read_yaml_vocabulary(const std::string& path) {
  std::vector<std::string> pieces;
  const std::string text = read_file(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t colon = line.rfind(": ");
    if (line.empty() || line == "---" || line.starts_with('#')) continue;
    check(colon != std::string_view::npos && colon > 0, "{}: expected lines 'piece: id' but got '{}'", path,
          excerpt(line));
    std::size_t id = 0;
    for (const char c : line.substr(colon + 2)) {
      check(c >= '0' && c <= '9' && id < 1'000'000, "{}: the id of '{}' is not a number", path,
            excerpt(line.substr(0, colon)));
      id = 10 * id + static_cast<std::size_t>(c - '0');
    }
    std::string_view quoted = line.substr(0, colon);
    std::string piece(quoted);
    if (quoted.size() >= 2 && quoted.front() == '"' && quoted.back() == '"') {
      piece.clear();
      quoted = quoted.substr(1, quoted.size() - 2);
      for (std::size_t i = 0; i < quoted.size(); ++i)
        piece += quoted[i] == '\\' && i + 1 < quoted.size() ? quoted[++i] : quoted[i];
    } else if (quoted.size() >= 2 && quoted.front() == '\'' && quoted.back() == '\'') {
      piece = quoted.substr(1, quoted.size() - 2);
    }
    if (pieces.size() <= id) pieces.resize(id + 1);
    pieces[id] = std::move(piece);
  }
  return pieces;
}

std::int32_t id_of(const std::vector<std::string>& pieces, const char* piece, const std::string& path) {
  const auto found = std::find(pieces.begin(), pieces.end(), piece);
  check(found != pieces.end(), "{}: has no {}", path, piece);
  return static_cast<std::int32_t>(found - pieces.begin());
}

// Subwords keep their ids; the row of zeros comes after them.
MarianVocabulary subword_vocabulary(const std::string& path, const std::string& model, std::vector<std::string> pieces,
                                    int count) {
  text::PieceMap map{.pieces = std::move(pieces)};
  map.special = {.unknown = id_of(map.pieces, kUnknown, path),
                 .begin = count,
                 .end = id_of(map.pieces, kEndPiece, path),
                 .pad = count};
  map.pieces.resize(static_cast<std::size_t>(count) + 1);
  MarianVocabulary result;
  result.rows.resize(static_cast<std::size_t>(count));
  std::iota(result.rows.begin(), result.rows.end(), 0);
  result.rows.push_back(kZeros);
  try {
    result.tokenizer = text::MappedPieces(model, std::move(map)).serialize();
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
  return result;
}

// Words get the ids of our word vocabularies: four special ones first. Ids that the list does not name come last.
MarianVocabulary word_vocabulary(const std::string& path, const std::vector<std::string>& pieces, int count) {
  constexpr std::string_view kSpace = "\u2581";
  const std::int32_t unknown = id_of(pieces, kUnknown, path), end = id_of(pieces, kEndPiece, path);
  MarianVocabulary result{.tokenizer = "", .rows = {unknown, kZeros, end, kZeros}, .words = true};
  std::vector<std::string> words;
  std::vector<std::int32_t> unnamed;
  std::set<std::string_view> known;
  for (std::int32_t id = 0; id < count; ++id) {
    if (id == unknown || id == end) continue;
    const std::string_view piece =
        id < std::ssize(pieces) ? std::string_view(pieces[static_cast<std::size_t>(id)]) : "";
    check(!piece.starts_with(kSpace),
          "{}: lists subwords but does not say how text is split; expected the SentencePiece models as well "
          "(--subwords)",
          path);
    if (piece.empty() || piece.find_first_of(" \n") != std::string_view::npos || !known.insert(piece).second) {
      unnamed.push_back(id);
      continue;
    }
    words.emplace_back(piece);
    result.rows.push_back(id);
  }
  result.rows.insert(result.rows.end(), unnamed.begin(), unnamed.end());
  const text::WordOptions options{.language = text::Language::tokenized,
                                  .prepare = {.normalize = text::NormalForm::none}};
  result.tokenizer = text::WordLevel(text::WordRules(options), text::Vocabulary(std::move(words)), 1).serialize();
  return result;
}

}  // namespace

MarianVocabulary read_marian_vocabulary(const std::string& path, const std::string& subwords, int count) {
  const bool listed = !path.ends_with(".spm");
  const std::string model = !listed ? read_file(path) : subwords.empty() ? "" : read_file(subwords);
  std::vector<std::string> pieces = listed ? read_yaml_vocabulary(path) : text::sentencepiece_pieces(model);
  check(std::ssize(pieces) <= count, "{}: has {} pieces, more than the {} of the model", path, pieces.size(), count);
  return model.empty() ? word_vocabulary(path, pieces, count)
                       : subword_vocabulary(path, model, std::move(pieces), count);
}

}  // namespace dragoman::exchange
