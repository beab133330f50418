#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dragoman {

// Joins the words with the separator `between`.
std::string join(std::span<const std::string> words, std::string_view between);

}  // namespace dragoman
