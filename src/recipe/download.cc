#include "recipe/download.h"

#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/sha256.h"

namespace dragoman::recipe {

namespace fs = std::filesystem;

void download(const std::string& url, const std::string& path, const std::string& sha256) {
  const std::string part = path + ".part";
  fs::create_directories(fs::absolute(path).parent_path());
  const bool is_resumed = fs::exists(part);
  if (!is_resumed || sha256_of_file(part) != sha256) fetch(url, part);
  std::string actual = sha256_of_file(part);
  if (actual != sha256 && is_resumed) {
    log::warning("{}: what was downloaded before is of another version; beginning again", url);
    fs::remove(part);
    fetch(url, part);
    actual = sha256_of_file(part);
  }
  if (actual != sha256) {
    fs::remove(part);
    fail("{}: the download has another SHA-256 than declared: expected {}, got {}; it was removed", url, sha256,
         actual);
  }
  fs::rename(part, path);
}

}  // namespace dragoman::recipe
