#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

// Requests and responses as values. Only the connection (http_connection.h) knows sockets.
namespace dragoman::serve {

// An error that is a response: 400 for a request that cannot be met, 503 for one that may be sent again later.
class HttpError : public Error {
 public:
  HttpError(int status, const std::string& message, int retry_after = 0)
      : Error(message), status_(status), retry_after_(retry_after) {}

  int status() const { return status_; }
  // Seconds after which to send the request again; 0 for nothing to say.
  int retry_after() const { return retry_after_; }

 private:
  int status_, retry_after_;
};

// The status of a request whose client left before the answer, for logs and metrics.
constexpr int kClientLeft = 499;
// The status of a request whose answer took too long.
constexpr int kTooLate = 504;

// How a request ended that nobody waits for any more.
struct Fate {
  std::atomic<bool> cancelled = false;  // the client has left or waited too long
  std::atomic<bool> is_late = false;    // it waited too long
};

struct HttpRequest {
  std::string method;
  std::string path;                                          // as it was sent, without the query
  std::string query;                                         // after the question mark
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // dropped once it has been read into fields
  std::size_t body_bytes = 0;                                // that came
  // Its part of the memory for bodies, for as long as it has one.
  std::shared_ptr<void> body_place{};
  std::string client;     // the address
  bool is_local = false;  // the client runs on this machine

  // Empty if there is none; the first if there are several.
  std::string_view header(std::string_view name) const;
  // The last one, which the proxy nearest to the server has added.
  std::string_view last_header(std::string_view name) const;
  bool has_header(std::string_view name) const;
};

// Whether two names are the same but for capital letters of ASCII.
bool same_name(std::string_view a, std::string_view b);

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  // besides type and length
};

// A request and the way back to its client. A request that nobody answers gets an error when the exchange is destroyed.
class Exchange {
 public:
  // `send` is called once, from any thread.
  using Send = std::function<void(HttpResponse)>;

  Exchange(HttpRequest request, Send send) : request_(std::move(request)), send_(std::move(send)) {}
  ~Exchange() { respond({.status = 500, .body = R"({"error": "the request was dropped"})"}); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const { return request_; }
  // Only before any other thread sees the exchange.
  void drop_body() {
    std::string().swap(request_.body);
    request_.body_place.reset();
  }
  // The first response counts.
  void respond(HttpResponse response) {
    if (!answered_.test_and_set()) send_(std::move(response));
  }
  const std::shared_ptr<Fate>& fate() const { return fate_; }
  // That of the fate.
  std::shared_ptr<std::atomic<bool>> cancelled() const { return {fate_, &fate_->cancelled}; }

 private:
  HttpRequest request_;
  Send send_;
  std::atomic_flag answered_;
  std::shared_ptr<Fate> fate_ = std::make_shared<Fate>();
};

}  // namespace dragoman::serve
