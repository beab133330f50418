// A tokenizer file of any kind from a stranger: it is refused with an Error, or it works and can be written again.
#include <cstdlib>

#include "base/error.h"
#include "text/tokenizer.h"

namespace {

using namespace dragoman;

void require(bool condition) {
  if (!condition) std::abort();
}

void use(const text::Tokenizer& tokenizer, std::string_view line) {
  const auto check_ids = [&](const std::vector<std::int32_t>& ids) {
    for (const std::int32_t id : ids) require(id >= 0 && id < tokenizer.size());
    tokenizer.decode(ids);
  };
  std::vector<std::int32_t> ids, sampled;
  tokenizer.encode(line, ids);
  check_ids(ids);
  const text::Encoded encoded = tokenizer.encode_spans(line);
  check_ids(encoded.ids);
  require(encoded.spans.size() == encoded.ids.size());
  for (const text::Span& span : encoded.spans) require(span.begin <= span.end && span.end <= line.size());
  Random random(1);
  tokenizer.encode_sampled(line, 0.3, random, sampled);
  check_ids(sampled);
}

void use_all_ids(const text::Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    tokenizer.piece(id);
    tokenizer.decode(std::vector<std::int32_t>{id});
    ids.push_back(id);
  }
  tokenizer.decode(ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto tokenizer = text::deserialize_tokenizer({reinterpret_cast<const char*>(data), size});
    for (const char* line : {"", "a", "the old interpreter reads 1,234 letters.", "Grüße \u2028 ﬁ\u00A0ﬃ 🎈 अनुवादक",
                             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
      use(*tokenizer, line);
    use_all_ids(*tokenizer);
    const std::string written = tokenizer->serialize();
    require(text::deserialize_tokenizer(written)->serialize() == written);
  } catch (const Error&) {
  }
  return 0;
}
