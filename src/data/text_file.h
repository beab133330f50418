#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::data {

// The longest list of lines that is kept in memory. Test sets have thousands of sentences; scoring takes about half a
// kilobyte for each, however short.
constexpr std::size_t kMostLines = std::size_t{1} << 22;

// Reads all lines of a plain or gzip file through LineReader; "-" is standard input. Missing or empty files, invalid
// UTF-8 and NUL bytes, lines longer than kMostLineBytes and more than kMostLines lines are errors that name file and
// line.
std::vector<std::string> read_lines(const std::string& path);

// Calls `body` with each line, checked in the same way. There may be any number of lines.
void for_each_line(const std::string& path, const std::function<void(std::string_view)>& body);

// Fails unless both files have the same number of lines; names the first line without a counterpart.
void check_parallel(const std::string& path_a, const std::vector<std::string>& a, const std::string& path_b,
                    const std::vector<std::string>& b);

}  // namespace dragoman::data
