#include "data/text_file.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "data/line_reader.h"
#include "data/utf8.h"

namespace dragoman::data {

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  for_each_line(path, [&](std::string_view line) {
    check(lines.size() < kMostLines, "{}: expected at most {} lines, because they are kept in memory; split the file",
          path, kMostLines);
    lines.emplace_back(line);
  });
  return lines;
}

void for_each_line(const std::string& path, const std::function<void(std::string_view)>& body) {
  LineReader reader(open_bytes(path));
  for (Line line; reader.next(line);) {
    const std::size_t bad = find_invalid_utf8(line.text);
    if (bad != std::string_view::npos)
      fail("{}:{}: {}: byte {} of the line is 0x{:02X}", reader.name(), line.number,
           line.text[bad] == 0 ? "NUL byte" : "not valid UTF-8", bad + 1, static_cast<unsigned char>(line.text[bad]));
    body(line.text);
  }
  check(reader.count() > 0, "{}: expected one sentence per line but the file is empty", reader.name());
}

void check_parallel(const std::string& path_a, const std::vector<std::string>& a, const std::string& path_b,
                    const std::vector<std::string>& b) {
  if (a.size() == b.size()) return;
  const bool a_longer = a.size() > b.size();
  fail("{} has {} but {} has {}: {}:{} is the first line without a partner", path_a, counted(a.size(), "line"), path_b,
       b.size(), a_longer ? path_a : path_b, std::min(a.size(), b.size()) + 1);
}

}  // namespace dragoman::data
