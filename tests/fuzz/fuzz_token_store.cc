// A token store with right checksums but any content is refused, or every row of it can be read and every id is in the
// vocabularies.
#include <cstdlib>
#include <string>
#include <vector>

#include "data/token_store.h"
#include "tests/fuzz/input_file.h"
#include "tests/support/repair.h"

namespace {

constexpr dragoman::data::VocabularySizes kSizes = {500, 400};

void require_below(const std::vector<std::int32_t>& ids, std::int32_t size) {
  for (const std::int32_t id : ids)
    if (id < 0 || id >= size) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  dragoman::support::repair_token_store(bytes, 1);
  const dragoman::fuzz::InputFile file(bytes);
  const auto store = dragoman::data::TokenStore::open(file.path(), 1, kSizes);
  if (!store) return 0;
  std::vector<std::int32_t> ids;
  std::size_t letters = 0;
  for (std::uint64_t row = 0; row < store->rows(); ++row) {
    store->expect_tokens(row);
    ids.resize(store->source_length(row));
    store->copy_source(row, ids);
    require_below(ids, kSizes.source);
    ids.resize(store->target_length(row));
    store->copy_target(row, ids);
    require_below(ids, kSizes.target);
    if (!store->has_text()) continue;
    for (const char c : store->source_text(row)) letters += c == 'e';
    for (const char c : store->target_text(row)) letters += c == 'e';
  }
  if (letters > size) std::abort();
  return 0;
}
