#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// Joins the words with the separator `between`.
std::string join(std::span<const std::string> words, std::string_view between);

// Splits words at commas: "a,b" and "a" "b" mean the same.
std::vector<std::string> split_list(std::span<const std::string> words);

}  // namespace dragoman
