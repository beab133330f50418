#pragma once

#include <cstdint>
#include <span>

namespace dragoman::smt {

// Word ids of a text::Vocabulary: a sentence, a phrase or an n-gram.
using Words = std::span<const std::uint32_t>;

}  // namespace dragoman::smt
