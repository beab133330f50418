#pragma once

#include <string>
#include <vector>

namespace dragoman::eval {

// The lines of a plain or gzip file, read as data::LineReader does; "-" is standard input. A missing or empty file,
// bytes that are not UTF-8 and NUL bytes are errors that name the file and the line.
std::vector<std::string> read_lines(const std::string& path);

// Fails unless both files have the same number of lines; says which line is the first without a partner.
void check_parallel(const std::string& path_a, const std::vector<std::string>& a, const std::string& path_b,
                    const std::vector<std::string>& b);

}  // namespace dragoman::eval
