#pragma once

#include <string>
#include <vector>

namespace dragoman::data {

// Reads all lines of a plain or gzip file through LineReader; "-" is standard input. Missing or empty files, invalid
// UTF-8 and NUL bytes are errors that name file and line.
std::vector<std::string> read_lines(const std::string& path);

// Fails unless both files have the same number of lines; names the first line without a counterpart.
void check_parallel(const std::string& path_a, const std::vector<std::string>& a, const std::string& path_b,
                    const std::vector<std::string>& b);

}  // namespace dragoman::data
