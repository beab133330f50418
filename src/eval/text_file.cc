#include "eval/text_file.h"

#include <utf8proc.h>
#include <zlib.h>

#include <cstring>
#include <memory>

#include "base/error.h"

namespace dragoman::eval {
namespace {

std::string read_all(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  check(file != nullptr, "{}: cannot be opened: {}", path, std::strerror(errno));
  std::string bytes;
  std::vector<char> buffer(1 << 18);
  for (;;) {
    const int count = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    int code = 0;
    check(count >= 0, "{}: cannot be read: {}", path, gzerror(file.get(), &code));
    if (count == 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
  // A truncated gzip stream ends quietly in gzread and shows only here.
  int code = Z_OK;
  gzerror(file.get(), &code);
  check(code != Z_BUF_ERROR, "{}: the gzip data end too early", path);
  return bytes;
}

bool is_utf8(const std::string& line) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(line.data());
  for (auto left = static_cast<utf8proc_ssize_t>(line.size()); left > 0;) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t used = *bytes < 0x80 ? 1 : utf8proc_iterate(bytes, left, &code_point);
    if (used <= 0) return false;
    bytes += used;
    left -= used;
  }
  return true;
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  const std::string bytes = read_all(path);
  check(!bytes.empty(), "{}: the file is empty; expected one sentence a line", path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = bytes.find('\n', begin);
    if (end == std::string::npos) end = bytes.size();
    lines.emplace_back(bytes, begin, end - begin);
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    check(is_utf8(lines.back()), "{}:{}: not valid UTF-8", path, lines.size());
    begin = end + 1;
  }
  return lines;
}

void check_parallel(const std::string& path_a, const std::vector<std::string>& a, const std::string& path_b,
                    const std::vector<std::string>& b) {
  if (a.size() == b.size()) return;
  const bool a_longer = a.size() > b.size();
  fail("{} has {} lines but {} has {}: {}:{} is the first line without a partner", path_a, a.size(), path_b, b.size(),
       a_longer ? path_a : path_b, std::min(a.size(), b.size()) + 1);
}

}  // namespace dragoman::eval
