// A table of sentence pairs (TSV or CSV) is refused, or gives pairs of valid UTF-8 without line ends. The first byte
// chooses format, header and columns.
#include <cstdlib>

#include "base/error.h"
#include "data/pair_reader.h"
#include "data/utf8.h"
#include "tests/fuzz/input_file.h"

namespace {

using namespace dragoman;

void require_sentence(const std::string& text) {
  if (data::find_invalid_utf8(text) != std::string::npos || text.find('\n') != std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::InputFile file({reinterpret_cast<const char*>(data) + 1, size - 1});
  const bool named = (data[0] & 4) != 0;
  data::Corpus corpus{.source = file.path(),
                      .target = "",
                      .format = (data[0] & 1) != 0 ? data::Format::csv : data::Format::tsv,
                      .source_column = named ? "de" : "1",
                      .target_column = named ? "en" : "2",
                      .header = (data[0] & 2) != 0};
  data::ReadingOptions options;
  options.max_line_bytes = 200;
  options.invalid_utf8 = static_cast<data::InvalidUtf8>(data[0] / 8 % 3);
  try {
    const auto reader = data::PairReader::open(corpus, options);
    for (data::Pair pair; reader->next(pair);) {
      require_sentence(pair.source);
      require_sentence(pair.target);
    }
  } catch (const Error&) {
  }
  return 0;
}
