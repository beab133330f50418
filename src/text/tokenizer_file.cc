#include "text/tokenizer_file.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/bounded_json.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/quote.h"
#include "text/byte_bpe.h"
#include "text/language_tags.h"
#include "text/mapped_pieces.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/word_level.h"

namespace dragoman::text {
namespace {

constexpr std::string_view kMagic = "dragoman-tokenizer 1\n";
// Of the file without this key. Only files have it: a model file has its own for everything in it.
constexpr const char* kChecksum = "checksum";

std::string checksum_of(std::string_view bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return fmt::format("{:016x}", hasher.value());
}

const nlohmann::json& read_value(const nlohmann::json& header, const char* key) {
  const auto found = header.find(key);
  check(found != header.end(), "tokenizer: its header has no '{}'; the file is damaged", key);
  return *found;
}

std::string read_text(const nlohmann::json& header, const char* key) {
  const nlohmann::json& value = read_value(header, key);
  check(value.is_string(), "tokenizer: '{}' must be a text but is {}", key, excerpt(value.dump()));
  return value.get<std::string>();
}

std::vector<std::string> texts_of(const nlohmann::json& value, const char* key) {
  const bool is_list =
      value.is_array() && std::all_of(value.begin(), value.end(), [](const auto& part) { return part.is_string(); });
  check(is_list, "tokenizer: '{}' must be a list of texts but is {}", key, excerpt(value.dump()));
  return value.get<std::vector<std::string>>();
}

std::vector<std::string> read_texts(const nlohmann::json& header, const char* key) {
  return texts_of(read_value(header, key), key);
}

std::vector<std::int32_t> read_ids(const nlohmann::json& header, const char* key) {
  const nlohmann::json& value = read_value(header, key);
  const bool is_list =
      value.is_array() && std::all_of(value.begin(), value.end(), [](const auto& part) {
        return part.is_number_unsigned() && std::in_range<std::int32_t>(part.template get<std::uint64_t>());
      });
  check(is_list, "tokenizer: '{}' must be a list of ids but is {}", key, excerpt(value.dump()));
  return value.get<std::vector<std::int32_t>>();
}

template <class Options>
Options read_options(const nlohmann::json& header) {
  Options options;
  Settings(options).read_yaml(read_text(header, "options"), "tokenizer");
  return options;
}

// JSON numbers may be fractions, negative or larger than the type.
template <class T>
T read_integer(const nlohmann::json& header, const char* key) {
  const nlohmann::json& value = read_value(header, key);
  check(value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>()),
        "tokenizer: '{}' must be an integer that is not negative but is {}", key, excerpt(value.dump()));
  return value.get<T>();
}

std::unique_ptr<Tokenizer> make_byte_bpe(const TokenizerFile& file, int multiple) {
  const auto encoder = read_integer<std::size_t>(file.header, "encoder-bytes");
  check(encoder <= file.data.size(), "tokenizer: expected at least {} bytes of data but got {}", encoder,
        file.data.size());
  const std::string_view data = file.data;
  return std::make_unique<ByteBpe>(data.substr(0, encoder), data.substr(encoder), multiple);
}

std::unique_ptr<Tokenizer> make_words(const TokenizerFile& file, int multiple) {
  std::vector<std::string> words;
  std::istringstream lines(file.data);
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  return std::make_unique<WordLevel>(WordRules(read_options<WordOptions>(file.header)), Vocabulary(std::move(words)),
                                     multiple);
}

std::unique_ptr<Tokenizer> make_mapped(const TokenizerFile& file) {
  const auto bytes = read_integer<std::size_t>(file.header, "model-bytes");
  check(bytes <= file.data.size(), "tokenizer: expected at least {} bytes of data but got {}", bytes, file.data.size());
  const std::vector<std::int32_t> special = read_ids(file.header, "special");
  check(special.size() == 4, "tokenizer: 'special' must have 4 ids but has {}", special.size());
  nlohmann::json pieces = parse_json(std::string_view(file.data).substr(bytes), "tokenizer: its pieces");
  const JsonReleaser releaser(pieces);
  PieceMap map{.pieces = texts_of(pieces, "pieces"),
               .special = {special[0], special[1], special[2], special[3]},
               .tags = {read_texts(file.header, "languages"), read_ids(file.header, "tags")},
               .never = read_ids(file.header, "never")};
  return std::make_unique<MappedPieces>(file.data.substr(0, bytes), std::move(map));
}

std::unique_ptr<Tokenizer> make(const TokenizerFile& file);

std::unique_ptr<Tokenizer> make_tagged(const TokenizerFile& file, int multiple) {
  const TokenizerFile text = unpack(file.data);
  check(read_text(text.header, "kind") != kTaggedKind, "tokenizer: languages inside languages");
  return std::make_unique<TaggedTokenizer>(make(text), read_texts(file.header, "languages"), multiple);
}

std::unique_ptr<Tokenizer> make(const TokenizerFile& file) {
  const std::string kind = read_text(file.header, "kind");
  const auto multiple = read_integer<int>(file.header, "multiple");
  if (kind == "byte-bpe") return make_byte_bpe(file, multiple);
  if (kind == "words") return make_words(file, multiple);
  if (kind == kTaggedKind) return make_tagged(file, multiple);
  if (kind == kMappedKind) return make_mapped(file);
  for (const auto& [subwords, name] : EnumNames<SubwordKind>::list)
    if (kind == name)
      return std::make_unique<SentencePiece>(subwords, read_options<SubwordText>(file.header), file.data, multiple);
  fail("tokenizer: unknown kind '{}'", excerpt(kind));
}

}  // namespace

std::string pack(const TokenizerFile& file) {
  return std::string(kMagic).append(file.header.dump()).append("\n").append(file.data);
}

TokenizerFile unpack(std::string_view bytes) {
  check(bytes.starts_with(kMagic), "tokenizer: expected '{}' at the start but got '{}'",
        kMagic.substr(0, kMagic.size() - 1), excerpt(bytes.substr(0, bytes.substr(0, 40).find('\n'))));
  bytes.remove_prefix(kMagic.size());
  const std::size_t end = bytes.find('\n');
  TokenizerFile file;
  check(end != std::string_view::npos, "tokenizer: the second line is not a JSON object");
  file.header = parse_json(bytes.substr(0, end), "tokenizer: its header");
  check(file.header.is_object(), "tokenizer: the second line is not a JSON object");
  file.data = bytes.substr(end + 1);
  return file;
}

std::unique_ptr<Tokenizer> deserialize_tokenizer(std::string_view data, const std::string& where) try {
  return make(unpack(data));
} catch (const Error& error) {
  if (where.empty()) throw;
  fail("{}: {}", where, error.what());
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path) {
  const std::string data = read_file(path);
  try {
    TokenizerFile file = unpack(data);
    if (file.header.contains(kChecksum)) {
      const std::string expected = read_text(file.header, kChecksum);
      file.header.erase(kChecksum);
      check(checksum_of(pack(file)) == expected, "the file is damaged or cut short: its checksum does not match");
    }
    return make(file);
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

void save_tokenizer(const Tokenizer& tokenizer, const std::string& path) {
  const std::string bytes = tokenizer.serialize();
  TokenizerFile contents = unpack(bytes);
  contents.header[kChecksum] = checksum_of(bytes);
  AtomicFile file(path);
  file.write(pack(contents));
  file.commit();
}

}  // namespace dragoman::text
