#pragma once

#include <cstdio>
#include <mutex>
#include <string>

#include "serve/http_message.h"

namespace dragoman::serve {

// One line of JSON per request: time, client, method, route, status, bytes and duration; never texts, keys or
// identifiers.
class AccessLog {
 public:
  // A file to append to, - for stdout, or empty for no log.
  explicit AccessLog(const std::string& path);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // What the request does not say itself.
  struct Source {
    std::string key, route;  // the key's name; empty without keys
  };

  void write(const HttpRequest& request, const HttpResponse& response, const Source& source, double seconds);

 private:
  std::mutex mutex_;
  std::string path_;
  std::FILE* file_ = nullptr;
  bool is_failing_ = false;
  bool owned_ = false;
};

}  // namespace dragoman::serve
