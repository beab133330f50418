#pragma once

#include <string>

#include "base/error.h"
#include "base/options.h"

namespace dragoman::recipe {

struct DownloadOptions {
  double stall_seconds = 60;
  int retries = 5;
  double first_wait = 1;  // seconds before the first retry; doubles each time

  template <class V>
  void visit(V& v) {
    v("download-timeout", stall_seconds, "seconds without data after which a download is interrupted", more_than(0));
    v("download-retries", retries, "how often in a row an interrupted download is resumed", at_least(0));
  }
};

struct Download {
  std::string url, path, sha256;
};

// Thrown if a server cannot be reached or does not go on; other files from it cannot be expected either.
class ServerUnreachable : public Error {
 public:
  using Error::Error;
};

// Downloads a file with a progress bar. The bytes are collected in PATH.part, which stays when the download fails and
// is resumed by the next one; PATH appears once its checksum is right. If the server has another version of the file by
// then or does not support ranges, the download begins again. Of several processes that download the same file, one
// does and the others wait. Throws with URL and reason.
void download(const Download& file, const DownloadOptions& options);

}  // namespace dragoman::recipe
