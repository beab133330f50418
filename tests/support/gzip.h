#pragma once

#include <zlib.h>

#include <string>

namespace dragoman::support {

// Writes `content` compressed and returns the path.
inline std::string write_gzip(const std::string& path, const std::string& content) {
  const gzFile out = gzopen(path.c_str(), "wb");
  gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
  gzclose(out);
  return path;
}

}  // namespace dragoman::support
