// Any bytes survive byte-level BPE, plainly and with dropout, and spans cover them.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "text/byte_bpe.h"

namespace {

std::string golden(const std::string& name) {
  std::ifstream in(std::string(DRAGOMAN_GOLDEN) + "/byte_bpe_" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  static const text::ByteBpe model(golden("encoder.json"), golden("vocab.bpe"), 8);
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const text::Encoded encoded = model.encode_spans(line);
  require(model.decode(encoded.ids) == line);
  std::uint32_t at = 0;
  for (const text::Span& span : encoded.spans) {
    require(span.begin == at && span.end > at);
    at = span.end;
  }
  require(at == size);
  Random random(size);
  std::vector<std::int32_t> ids;
  model.encode_sampled(line, 0.2, random, ids);
  require(model.decode(ids) == line);
  return 0;
}
