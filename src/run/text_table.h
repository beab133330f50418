#pragma once

#include <string>
#include <vector>

namespace dragoman::run {

using TableRow = std::vector<std::string>;

// A table for terminals, one line per row. The first column is flush left, the others flush right.
std::string text_table(const std::vector<TableRow>& rows);

}  // namespace dragoman::run
