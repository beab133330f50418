#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dragoman {

// The words one after the other, with `between` between them.
std::string join(std::span<const std::string> words, std::string_view between);

}  // namespace dragoman
