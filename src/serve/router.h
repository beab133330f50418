#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/access_log.h"
#include "serve/call.h"
#include "serve/http_server.h"
#include "serve/keys.h"
#include "serve/metrics.h"
#include "serve/options.h"
#include "serve/task_threads.h"

namespace dragoman::serve {

// Who may call a route.
enum class Access {
  everybody,
  clients  // with a key, where the server has keys; counted by the rate limit
};

struct Route {
  const char* method;
  const char* path;  // {} stands for one part of a path: "/v2/glossaries/{}"
  Access access;
  std::function<void(const std::shared_ptr<Call>&)> endpoint;
  bool is_instant = false;  // the server's own thread answers, also when all task threads are busy
};

// Finds the endpoint of a request, checks who calls it, and completes, counts and logs the response.
class Router : public HttpHandler {
 public:
  Router(std::vector<Route> routes, const ServeOptions& options, Keys keys, TaskThreads& threads, Metrics& metrics,
         AccessLog& log);

  const std::vector<Route>& routes() const { return routes_; }
  bool requires_keys() const { return keys_.are_required(); }
  // Finds out who sent it. Refuses web pages of other origins, names of other servers and compressed bodies.
  void admit(HttpRequest& request) override;
  // Returns at once; a task thread runs the endpoint, unless it is instant.
  void handle(const std::shared_ptr<Exchange>& exchange) override;
  // Complete and counted.
  HttpResponse error_page(const HttpRequest& request, const HttpError& error) override;

 private:
  using Clock = std::chrono::steady_clock;

  void dispatch(const std::shared_ptr<Exchange>& exchange, Clock::time_point begin);
  bool is_instant(const HttpRequest& request) const;
  const Route* find(const HttpRequest& request, std::vector<std::string>& parameters) const;
  HttpResponse response_without_route(const HttpRequest& request) const;
  void admit_client(Call& call);
  void check_host(const HttpRequest& request) const;
  void check_origin(const HttpRequest& request) const;
  void complete(const HttpRequest& request, HttpResponse& response) const;
  // Counts and logs a request, under its route: a path may have an identifier that only its client should know.
  void record(const HttpRequest& request, const HttpResponse& response, const std::string& key, const char* route,
              Clock::time_point begin);
  void finish(Exchange& exchange, const std::string& key, const char* route, HttpResponse response,
              Clock::time_point begin);

  std::vector<Route> routes_;
  ServeOptions options_;
  Keys keys_;
  RateLimits limits_, wrong_keys_;
  TaskThreads& threads_;
  Metrics& metrics_;
  AccessLog& log_;
};

}  // namespace dragoman::serve
