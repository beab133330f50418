#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/access_log.h"
#include "serve/call.h"
#include "serve/keys.h"
#include "serve/metrics.h"
#include "serve/task_threads.h"

namespace dragoman::serve {

// Who may call a route.
enum class Access {
  everybody,
  clients,  // with a key, where the server has keys; counted by the rate limit
  local     // programs on this machine, not web pages and not through a proxy
};

struct Route {
  const char* method;
  const char* path;  // {} stands for one part of a path: "/v2/glossaries/{}"
  Access access;
  std::function<void(const std::shared_ptr<Call>&)> endpoint;
  bool is_instant = false;  // the server's own thread answers, also when all task threads are busy
};

struct RouterOptions {
  std::string cors_origin{};  // the origin whose pages may call this server; * for all; empty for none
  int per_minute = 0;         // requests of a client; 0 means no limit
  bool trust_proxy = false;   // a proxy on this machine says who the client is (X-Forwarded-For)
};

// Finds the endpoint of a request, checks who calls it, and completes, counts and logs the response.
class Router {
 public:
  Router(std::vector<Route> routes, const RouterOptions& options, Keys keys, TaskThreads& threads, Metrics& metrics,
         AccessLog& log);

  const std::vector<Route>& routes() const { return routes_; }
  bool requires_keys() const { return keys_.are_required(); }
  // Returns at once; a task thread runs the endpoint, unless it is instant.
  void handle(const std::shared_ptr<Exchange>& exchange);
  // The response to a request that never came here, complete and counted.
  HttpResponse error_page(const HttpRequest& request, const HttpError& error);

 private:
  using Clock = std::chrono::steady_clock;

  void dispatch(const std::shared_ptr<Exchange>& exchange, Clock::time_point begin);
  bool is_instant(const HttpRequest& request) const;
  const Route* find(const HttpRequest& request, std::vector<std::string>& parameters) const;
  HttpResponse response_without_route(const HttpRequest& request) const;
  void admit(const Route& route, Call& call);
  void admit_client(Call& call);
  static void admit_local(const HttpRequest& request);
  std::string address_of(const HttpRequest& request) const;
  std::string public_path(const HttpRequest& request) const;
  void complete(const HttpRequest& request, HttpResponse& response) const;
  void finish(Exchange& exchange, const std::string& client, const char* route, HttpResponse response,
              Clock::time_point begin);

  std::vector<Route> routes_;
  RouterOptions options_;
  Keys keys_;
  RateLimits limits_, wrong_keys_;
  TaskThreads& threads_;
  Metrics& metrics_;
  AccessLog& log_;
};

}  // namespace dragoman::serve
