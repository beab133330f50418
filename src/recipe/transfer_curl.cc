#include <curl/curl.h>

#include <charconv>
#include <chrono>
#include <exception>
#include <memory>

#include "base/error.h"
#include "base/shared_library.h"
#include "recipe/transfer.h"

namespace dragoman::recipe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long kOk = 200, kPartialContent = 206, kRequestTimeout = 408, kRangeNotSatisfiable = 416,
               kTooManyRequests = 429;

// libcurl is loaded when it is first used: with all libraries that it needs in turn, it takes 5 MB of memory.
struct Curl {
  SharedLibrary library{"libcurl.so.4"};
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_strnequal) strnequal = nullptr;

  Curl() {
    if (!library.is_loaded()) return;
    find("curl_global_init", global_init);
    find("curl_easy_init", easy_init);
    find("curl_easy_cleanup", easy_cleanup);
    find("curl_easy_setopt", easy_setopt);
    find("curl_easy_getinfo", easy_getinfo);
    find("curl_easy_perform", easy_perform);
    find("curl_easy_strerror", easy_strerror);
    find("curl_slist_append", slist_append);
    find("curl_slist_free_all", slist_free_all);
    find("curl_strnequal", strnequal);
    // Not undone: libcurl must be started once per process, before the first transfer.
    const CURLcode started = global_init(CURL_GLOBAL_DEFAULT);
    check(started == CURLE_OK, "libcurl cannot be started: {}", easy_strerror(started));
  }

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    library.find(name, function, "libcurl 7.85 or newer");
  }
};

const Curl& curl() {
  static const Curl loaded;
  return loaded;
}

std::optional<std::uint64_t> parse_size(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && curl().strnequal(a.data(), b.data(), a.size()) != 0;
}

// The headers of the last answer; a redirection has answers of its own before it.
struct Headers {
  std::optional<std::uint64_t> length, range_begin, range_size;
  std::string etag, modified;

  void add(std::string_view line) {
    if (line.starts_with("HTTP/")) *this = {};
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_name(name, "content-length")) length = parse_size(value);
    if (same_name(name, "content-range")) parse_range(value);
    if (same_name(name, "etag")) etag = value;
    if (same_name(name, "last-modified")) modified = value;
  }
  // Only a strong ETag may stand in If-Range (RFC 9110, section 13.1.5).
  const std::string& validator() const { return etag.starts_with('"') ? etag : modified; }

 private:
  // "bytes 100-199/200"; the size may be "*".
  void parse_range(std::string_view value) {
    if (!value.starts_with("bytes ")) return;
    value.remove_prefix(6);
    const std::size_t dash = value.find('-'), slash = value.find('/');
    if (dash == std::string_view::npos || slash == std::string_view::npos) return;
    range_begin = parse_size(value.substr(0, dash));
    range_size = parse_size(value.substr(slash + 1));
  }
};

// One request; its member functions are what libcurl calls.
class Transfer {
 public:
  Transfer(const TransferRequest& request, TransferSink& sink)
      : request_(request), sink_(sink), curl_(curl().easy_init(), curl().easy_cleanup) {
    check(curl_ != nullptr, "libcurl cannot be started");
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https,file");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(1000 * request.stall_seconds));
    set(CURLOPT_USERAGENT, "dragoman");
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, on_time);
    set(CURLOPT_XFERINFODATA, this);
    if (request.begin > 0) ask_for_range();
  }

  TransferEnd run() {
    heard_ = Clock::now();
    const CURLcode code = curl().easy_perform(curl_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    const long status = http_status();
    if (status == kRangeNotSatisfiable && request_.begin > 0) return {TransferStatus::past_end, "the file has no more"};
    if (status >= 400) return {kind_of(status), fmt::format("the server answers {}", status)};
    if (code != CURLE_OK) return {kind_of(code), reason(code)};
    if (!is_file_url() && status != kOk && status != kPartialContent)
      return {TransferStatus::refused, fmt::format("the server answers {}", status)};
    if (!begun_) begin();  // an empty file
    return {};
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    check(curl().easy_setopt(curl_.get(), option, value) == CURLE_OK, "libcurl is too old: option {} is unknown",
          static_cast<int>(option));
  }

  void ask_for_range() {
    set(CURLOPT_RANGE, (std::to_string(request_.begin) + "-").c_str());
    if (request_.validator.empty()) return;
    own_headers_.reset(curl().slist_append(nullptr, ("If-Range: " + request_.validator).c_str()));
    set(CURLOPT_HTTPHEADER, own_headers_.get());
  }

  bool is_file_url() const { return http_status() == 0; }
  long http_status() const {
    long status = 0;
    curl().easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  void begin() {
    TransferAnswer answer{.begin = 0, .size = headers_.length, .validator = headers_.validator()};
    if (http_status() == kPartialContent) {
      answer.begin = headers_.range_begin.value_or(request_.begin);
      answer.size = headers_.range_size;
    } else if (is_file_url()) {
      answer.begin = request_.begin;
      curl_off_t rest = -1;
      curl().easy_getinfo(curl_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &rest);
      answer.size.reset();
      if (rest >= 0) answer.size = request_.begin + static_cast<std::uint64_t>(rest);
    }
    begun_ = true;
    sink_.begin(answer);
  }

  void take(std::string_view bytes) {
    heard_ = Clock::now();
    const long status = http_status();
    if (!is_file_url() && status != kOk && status != kPartialContent) return;  // the page of an error
    if (!begun_) begin();
    sink_.add(bytes);
  }

  static std::size_t on_header(char* text, std::size_t, std::size_t size, void* self) {
    static_cast<Transfer*>(self)->heard_ = Clock::now();
    static_cast<Transfer*>(self)->headers_.add({text, size});
    return size;
  }
  // Exceptions must not pass through libcurl, which is C.
  static std::size_t on_bytes(char* bytes, std::size_t, std::size_t size, void* self) {
    try {
      static_cast<Transfer*>(self)->take({bytes, size});
      return size;
    } catch (...) {
      static_cast<Transfer*>(self)->thrown_ = std::current_exception();
      return CURL_WRITEFUNC_ERROR;
    }
  }
  // Called about once per second while nothing arrives.
  static int on_time(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    const auto* transfer = static_cast<Transfer*>(self);
    const std::chrono::duration<double> silent = Clock::now() - transfer->heard_;
    return silent.count() > transfer->request_.stall_seconds ? 1 : 0;
  }

  static TransferStatus kind_of(long status) {
    return status >= 500 || status == kRequestTimeout || status == kTooManyRequests ? TransferStatus::interrupted
                                                                                    : TransferStatus::refused;
  }
  static TransferStatus kind_of(CURLcode code) {
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_CONNECT: return TransferStatus::unreachable;
      case CURLE_OPERATION_TIMEDOUT:
      case CURLE_ABORTED_BY_CALLBACK:
      case CURLE_PARTIAL_FILE:
      case CURLE_GOT_NOTHING:
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_HTTP2:
      case CURLE_HTTP2_STREAM: return TransferStatus::interrupted;
      case CURLE_BAD_DOWNLOAD_RESUME: return TransferStatus::past_end;
      default: return TransferStatus::refused;
    }
  }
  std::string reason(CURLcode code) const {
    if (code == CURLE_ABORTED_BY_CALLBACK) return fmt::format("nothing arrived for {} s", request_.stall_seconds);
    return error_[0] != '\0' ? error_ : curl().easy_strerror(code);
  }

  const TransferRequest& request_;
  TransferSink& sink_;
  std::unique_ptr<CURL, void (*)(CURL*)> curl_;
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> own_headers_{nullptr, curl().slist_free_all};
  char error_[CURL_ERROR_SIZE] = "";
  Headers headers_;
  bool begun_ = false;
  Clock::time_point heard_;
  std::exception_ptr thrown_;
};

}  // namespace

TransferEnd transfer(const TransferRequest& request, TransferSink& sink) {
  if (const std::string obstacle = transfer_obstacle(); !obstacle.empty()) fail("{}: {}", request.url, obstacle);
  return Transfer(request, sink).run();
}

std::string transfer_obstacle() {
  return curl().library.is_loaded() ? "" : "files cannot be downloaded without libcurl: install the package libcurl4";
}

}  // namespace dragoman::recipe
