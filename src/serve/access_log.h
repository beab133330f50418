#pragma once

#include <cstdio>
#include <mutex>
#include <string>

#include "serve/http_message.h"

namespace dragoman::serve {

// One line of JSON per request: time, client, method, path, status, bytes and duration; never texts, keys or
// identifiers.
class AccessLog {
 public:
  // A file to append to, - for stdout, or empty for no log.
  explicit AccessLog(const std::string& path);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // Who sent a request, and where to.
  struct Source {
    std::string address, key, path;  // the key's name; empty without keys
  };

  void write(const HttpRequest& request, const HttpResponse& response, const Source& source, double seconds);

 private:
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  bool owned_ = false;
};

}  // namespace dragoman::serve
