#include <curl/curl.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/progress.h"
#include "base/shared_library.h"
#include "recipe/download.h"

namespace dragoman::recipe {
namespace {

// libcurl is loaded when it is first used: with all libraries that it needs in turn, it takes 5 MB of memory.
struct Curl {
  SharedLibrary library{"libcurl.so.4"};
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_setopt) setopt = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_strerror) strerror = nullptr;

  Curl() {
    check(library.is_loaded(), "files cannot be downloaded without libcurl: install the package libcurl4");
    find("curl_easy_init", init);
    find("curl_easy_cleanup", cleanup);
    find("curl_easy_setopt", setopt);
    find("curl_easy_perform", perform);
    find("curl_easy_strerror", strerror);
  }

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    library.find(name, function, "libcurl 7.85 or newer");
  }
};

// Where the bytes go.
struct Sink {
  std::ofstream file;
  Progress progress;
};

// Exceptions must not pass through libcurl, which is C; ofstream throws none.
std::size_t on_bytes(char* bytes, std::size_t, std::size_t size, void* sink) {
  auto& [file, progress] = *static_cast<Sink*>(sink);
  if (!file.write(bytes, static_cast<std::streamsize>(size)).flush()) return 0;
  progress.advance(static_cast<std::int64_t>(size));
  return size;
}

}  // namespace

void fetch(const std::string& url, const std::string& part) {
  static const Curl curl;
  constexpr long kStallSeconds = 60, kRedirections = 10;
  const std::unique_ptr<CURL, decltype(curl.cleanup)> handle(curl.init(), curl.cleanup);
  check(handle != nullptr, "libcurl cannot be started");
  const auto set = [&](CURLoption option, auto value) {
    check(curl.setopt(handle.get(), option, value) == CURLE_OK, "libcurl is too old: option {} is unknown",
          static_cast<int>(option));
  };
  Sink sink{std::ofstream(part, std::ios::binary | std::ios::app), {"downloading", 0, "bytes"}};
  check(sink.file.good(), "{}: cannot be written", part);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kRedirections);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, kStallSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  const auto begin = static_cast<curl_off_t>(std::filesystem::file_size(part));
  set(CURLOPT_RESUME_FROM_LARGE, begin);
  set(CURLOPT_WRITEFUNCTION, on_bytes);
  set(CURLOPT_WRITEDATA, &sink);
  const CURLcode code = curl.perform(handle.get());
  // The server does not resume, or the part is longer than its file.
  const bool begins_again =
      code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME || code == CURLE_HTTP_RETURNED_ERROR;
  if (begins_again && begin > 0) {
    sink.file.close();
    std::filesystem::remove(part);
    return fetch(url, part);
  }
  check(code == CURLE_OK, "{}: cannot be downloaded: {}; what has arrived is in {}, from which the next run goes on",
        url, curl.strerror(code), part);
}

}  // namespace dragoman::recipe
