#include "serve/access_log.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/system_reason.h"
#include "base/utc_time.h"
#include "run/json_text.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kLongestPath = 256;

}  // namespace

AccessLog::AccessLog(const std::string& path) {
  if (path.empty()) return;
  owned_ = path != "-";
  file_ = owned_ ? std::fopen(path.c_str(), "ae") : stdout;
  check(file_ != nullptr, "--access-log {}: {}", path, system_reason);
}

AccessLog::~AccessLog() {
  if (owned_) std::fclose(file_);
}

void AccessLog::write(const HttpRequest& request, const HttpResponse& response, const Source& source, double seconds) {
  if (file_ == nullptr) return;
  nlohmann::ordered_json line = {{"time", utc_time()},
                                 {"client", source.address.substr(0, kLongestPath)},
                                 {"method", request.method.substr(0, kLongestPath)},
                                 {"path", source.path.substr(0, kLongestPath)},
                                 {"status", response.status},
                                 {"received", request.body_bytes},
                                 {"sent", response.body.size()},
                                 {"ms", std::round(seconds * 1e5) / 100}};
  if (!source.key.empty()) line["key"] = source.key;
  const std::string text = run::to_text(line) + "\n";
  const std::lock_guard lock(mutex_);
  std::fwrite(text.data(), 1, text.size(), file_);
  std::fflush(file_);
}

}  // namespace dragoman::serve
