// Any bytes are a document or refused. A document that is translated to itself keeps its bytes; one with other
// translations is a document again. The first byte chooses the format, the second one options.
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "data/utf8.h"
#include "document/document.h"

namespace {

using dragoman::document::Document;
using dragoman::document::Format;
using dragoman::document::Options;
using dragoman::document::Translated;

void require(bool condition) {
  if (!condition) std::abort();
}

// Other words in another order, with links that may point anywhere.
Translated other_words(const std::string& text, std::uint32_t seed) {
  Translated translated;
  for (std::uint32_t i = 0; i < text.size() % 23; ++i) {
    seed = seed * 1664525 + 1013904223;
    translated.text += (seed >> 28) % 3 == 0 ? "wort" : "\u65e5";
    if ((seed >> 24) % 2 == 0) translated.text += (seed >> 20) % 4 == 0 ? "<&\"\\" : " ";
    const auto size = static_cast<std::uint32_t>(text.size()) + 2, place = (seed >> 8) % size;
    translated.links.push_back({place, place + (seed >> 16) % 9, i * 3, i * 3 + (seed >> 12) % 9});
  }
  return translated;
}

std::optional<Document> parse(const std::string& bytes, Format format, const Options& options) {
  try {
    return Document::parse(bytes, format, options);
  } catch (const dragoman::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr Format kFormats[] = {Format::text, Format::html, Format::xml, Format::srt, Format::po, Format::markdown};
  const Format format = kFormats[data[0] % 6];
  Options options;
  options.split = static_cast<dragoman::document::Split>(data[1] % 3);
  options.outline = (data[1] & 4) != 0;
  options.retranslate = (data[1] & 8) != 0;
  if ((data[1] & 16) != 0) options.ignored = {"b"};
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::optional<Document> parsed = parse(bytes, format, options);
  if (!parsed) {
    require((format != Format::html && format != Format::markdown) ||
            dragoman::data::find_invalid_utf8(bytes) != std::string::npos);
    return 0;
  }
  const Document& document = *parsed;
  std::vector<Translated> same, other, none;
  for (const std::string& text : document.segments()) {
    require(!text.empty() && text.front() != ' ' && text.back() != ' ');
    same.push_back({text, {}});
    other.push_back(other_words(text, static_cast<std::uint32_t>(size)));
    none.push_back({"", {}});
  }
  require(format == Format::po || document.render(same) == bytes);
  require(parse(document.render(none), format, options).has_value());
  require(parse(document.render(other), format, options).has_value());
  return 0;
}
