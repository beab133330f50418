#include "serve/access_log.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "base/system_reason.h"
#include "base/utc_time.h"
#include "run/json_text.h"

namespace dragoman::serve {

AccessLog::AccessLog(const std::string& path) : path_(path) {
  if (path.empty()) return;
  owned_ = path != "-";
  file_ = owned_ ? std::fopen(path.c_str(), "ae") : stdout;
  check(file_ != nullptr, "--access-log {}: {}", path, system_reason);
}

AccessLog::~AccessLog() {
  if (owned_) std::fclose(file_);
}

void AccessLog::write(const HttpRequest& request, const HttpResponse& response, const Source& source, double seconds) {
  constexpr std::size_t kLongestMethod = 32;
  if (file_ == nullptr) return;
  nlohmann::ordered_json line = {{"time", utc_time()},
                                 {"client", request.address},
                                 {"method", request.method.substr(0, kLongestMethod)},
                                 {"path", source.route},
                                 {"status", response.status},
                                 {"received", request.body_bytes},
                                 {"sent", response.body.size()},
                                 {"ms", std::round(seconds * 1e5) / 100}};
  if (!source.key.empty()) line["key"] = source.key;
  const std::string text = run::to_text(line) + "\n";
  const std::lock_guard lock(mutex_);
  const bool fails = std::fwrite(text.data(), 1, text.size(), file_) < text.size() || std::fflush(file_) != 0;
  if (fails && !is_failing_) log::error("--access-log {}: {}; requests are not logged", path_, system_reason);
  is_failing_ = fails;
}

}  // namespace dragoman::serve
