#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "serve/shares.h"

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

// How a request ended that is not worked on any more.
struct Fate {
  std::atomic<bool> cancelled = false;
  std::atomic<int> status = kClientLeft;  // kTooLate, or 503 if it gave way to other clients

  void give_up(int reason) {
    if (!cancelled) status = reason;
    cancelled = true;
  }
};

// Everything but the body is what came before the body.
struct HttpRequest {
  std::string method;
  std::string path;                                          // as it was sent, without the query
  std::string query;                                         // after the question mark
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // dropped once it has been read into fields
  std::size_t body_bytes = 0;                                // that came
  std::string address;                                       // of the client, which a trusted proxy may name
  bool is_local = false;                                     // sent by a program on this machine

  // Empty if there is none; the last one, which the nearest proxy has added, if there are several.
  std::string_view header(std::string_view name) const {
    const auto found =
        std::find_if(headers.rbegin(), headers.rend(), [&](const auto& one) { return one.first == name; });
    return found == headers.rend() ? std::string_view() : found->second;
  }
};

// Who asks.
struct Caller {
  std::string key{};     // its name; empty without keys
  std::string client{};  // what has shares and limits: a key or, without keys, a network
  std::string owner{};   // whose glossaries, files and cached translations it sees
};

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

  Exchange(HttpRequest request, Send send, std::unique_ptr<Shares::Holding> memory = nullptr)
      : request_(std::move(request)), send_(std::move(send)), memory_(std::move(memory)) {}
  ~Exchange() { respond({.status = 500, .body = R"({"error": "the request was dropped"})"}); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const { return request_; }
  // The body, and the memory that the client holds for it, once.
  std::pair<std::string, std::unique_ptr<Shares::Holding>> take_body() {
    const std::lock_guard lock(mutex_);
    return {std::exchange(request_.body, {}), std::move(memory_)};
  }
  // Nobody works on it any more.
  void give_up(int status) {
    fate_->give_up(status);
    take_body();
  }
  // The first response counts.
  void respond(HttpResponse response) {
    if (!answered_.test_and_set()) send_(std::move(response));
  }
  const std::shared_ptr<Fate>& fate() const { return fate_; }

 private:
  HttpRequest request_;
  Send send_;
  std::mutex mutex_;  // guards the body and the memory for it
  std::unique_ptr<Shares::Holding> memory_;
  std::atomic_flag answered_;
  std::shared_ptr<Fate> fate_ = std::make_shared<Fate>();
};

}  // namespace dragoman::serve
