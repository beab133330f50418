// A line of word alignments is refused, or is the same after writing and reading it.
#include <cstdlib>
#include <string>

#include "align/alignment.h"
#include "base/error.h"
#include "eval/alignment_error.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const align::Links links = align::parse_pharaoh(text, "line");
    if (align::parse_pharaoh(align::to_pharaoh(links), "again") != links) std::abort();
    if (align::swap_sides(align::swap_sides(links)) != links) std::abort();
  } catch (const Error&) {
  }
  const fuzz::InputFile file(text);
  try {
    const auto gold = eval::read_links(file.path(), {1, true});
    const eval::AlignmentError error = eval::compare_links(gold, gold);
    if (error.sure > 0 && error.recall() != 1) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
