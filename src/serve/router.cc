#include "serve/router.h"

#include <algorithm>

#include "base/join.h"
#include "base/quote.h"
#include "base/sha256.h"
#include "document/markup_tokens.h"
#include "serve/network.h"
#include "serve/url_encoding.h"

namespace dragoman::serve {
namespace {

// What requests are counted under that have no route, whatever their path is.
constexpr const char* kNoRoute = "none";
// Per minute and address; beyond that, an address cannot try keys, right or wrong.
constexpr int kWrongKeys = 60;

// Compares part by part. An open part matches anything but nothing; `parameters` are those parts as they were sent.
bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& parameters) {
  parameters.clear();
  for (;;) {
    const std::string_view expected = pattern.substr(0, pattern.find('/')), part = path.substr(0, path.find('/'));
    if (expected == "{}") {
      if (part.empty()) return false;
      parameters.emplace_back(part);
    } else if (expected != part) {
      return false;
    }
    const bool ends = expected.size() == pattern.size();
    if (ends || part.size() == path.size()) return ends && part.size() == path.size();
    pattern.remove_prefix(expected.size() + 1);
    path.remove_prefix(part.size() + 1);
  }
}

bool same_method(const Route& route, const HttpRequest& request) {
  return request.method == route.method || (request.method == "HEAD" && std::string_view(route.method) == "GET");
}

// The key in the Authorization header or the field of LibreTranslate's clients.
std::string key_of(Call& call) {
  const std::string_view header = call.request().header("authorization");
  for (const std::string_view scheme : {"DeepL-Auth-Key ", "Bearer "})
    if (header.starts_with(scheme)) return std::string(header.substr(scheme.size()));
  return call.fields().text_or("api_key", "");
}

}  // namespace

Router::Router(std::vector<Route> routes, const ServeOptions& options, Keys keys, TaskThreads& threads,
               Metrics& metrics, AccessLog& log)
    : routes_(std::move(routes)),
      options_(options),
      keys_(std::move(keys)),
      threads_(threads),
      metrics_(metrics),
      log_(log) {}

void Router::handle(const std::shared_ptr<Exchange>& exchange) {
  const Clock::time_point begin = Clock::now();
  if (is_instant(exchange->request())) return dispatch(exchange, begin);
  threads_.post([this, exchange, begin] { dispatch(exchange, begin); });
}

bool Router::is_instant(const HttpRequest& request) const {
  return std::any_of(routes_.begin(), routes_.end(), [&](const Route& route) {
    return route.is_instant && same_method(route, request) && route.path == request.path;
  });
}

void Router::dispatch(const std::shared_ptr<Exchange>& exchange, Clock::time_point begin) {
  const HttpRequest& request = exchange->request();
  // Nobody waits for it any more; it may have waited long for its turn.
  if (exchange->fate()->cancelled) return finish(*exchange, "", kNoRoute, {.status = kClientLeft}, begin);
  if (request.method == "OPTIONS" && !options_.cors_origin.empty())
    return finish(*exchange, "", kNoRoute, {.status = 204, .headers = {{"Access-Control-Max-Age", "86400"}}}, begin);
  std::vector<std::string> parameters;
  const Route* route = nullptr;
  try {
    route = find(request, parameters);
    if (route == nullptr) return finish(*exchange, "", kNoRoute, response_without_route(request), begin);
  } catch (const HttpError& error) {
    return finish(*exchange, "", kNoRoute, error_response(request, error), begin);
  }
  const auto call =
      std::make_shared<Call>(exchange, std::move(parameters), [this, route, begin](Call& self, HttpResponse response) {
        finish(self.exchange(), self.caller().key, route->path, std::move(response), begin);
      });
  call->attempt([&] {
    if (route->access == Access::clients) admit_client(*call);
    route->endpoint(call);
  });
  call->drop_fields();
}

const Route* Router::find(const HttpRequest& request, std::vector<std::string>& parameters) const {
  for (const Route& route : routes_)
    if (same_method(route, request) && matches(route.path, request.path, parameters)) {
      for (std::string& parameter : parameters) parameter = decode_url(parameter);
      return &route;
    }
  return nullptr;
}

HttpResponse Router::response_without_route(const HttpRequest& request) const {
  std::vector<std::string> methods, ignored;
  for (const Route& route : routes_)
    if (matches(route.path, request.path, ignored)) methods.emplace_back(route.method);
  if (methods.empty()) return error_response(request, HttpError(404, "there is nothing at this path"));
  std::string all = join(methods, ", ");
  HttpResponse response = error_response(
      request, HttpError(405, fmt::format("this path does not support the method; it supports {}", all)));
  response.headers.emplace_back("Allow", std::move(all));
  return response;
}

void Router::admit_client(Call& call) {
  const std::string network = network_of(call.request().address);
  if (!keys_.are_required()) {
    limits_.take(network, options_.rate_limit);
    // Clients of DeepL have a key also if nobody checks it.
    return call.set_caller({"", network, network + " " + sha256_of(key_of(call))});
  }
  const std::string key = key_of(call);
  if (key.empty())
    throw HttpError(is_deepl(call.request()) ? 403 : 400, "Please contact the server operator to get an API key");
  wrong_keys_.expect_some(network, kWrongKeys);
  const Keys::Key* const found = keys_.find(key);
  if (found == nullptr) {
    wrong_keys_.take(network, kWrongKeys);
    throw HttpError(403, "Invalid API key");
  }
  const std::string client = "key " + found->name;
  call.set_caller({found->name, client, client});
  limits_.take(client, found->per_minute >= 0 ? found->per_minute : options_.rate_limit);
}

void Router::admit(HttpRequest& request) {
  if (options_.trust_proxy && request.is_local) {
    // The proxy appends the address it sees; what stands before, also in lines of its own, is the client's own word.
    std::string_view address = request.header("x-forwarded-for");
    address.remove_prefix(address.rfind(',') + 1);  // nothing if there is no comma
    address.remove_prefix(std::min(address.find_first_not_of(" \t"), address.size()));
    const HostName client = HostName::parse(address);
    if (client.is_address) request.address = client.name;
  }
  check_host(request);
  check_origin(request);
  if (!request.header("content-encoding").empty()) throw HttpError(415, "a body must not be compressed");
}

// A page whose name was made to lead here (DNS rebinding) has the origin that it asks, but never that of an address.
void Router::check_host(const HttpRequest& request) const {
  const std::string_view header = request.header("host");
  if (header.empty()) return;  // HTTP/1.0, or no name at all
  const HostName host = HostName::parse(header);
  const auto is_same = [&](const std::string& name) { return document::same_ignoring_case(name, host.name); };
  if (!host.is_address && !is_same("localhost") && std::none_of(options_.hosts.begin(), options_.hosts.end(), is_same))
    throw HttpError(421, fmt::format("{} is not a name of this server; --host adds one", excerpt(host.name)));
}

void Router::check_origin(const HttpRequest& request) const {
  const std::string_view origin = request.header("origin");
  const bool is_allowed = options_.cors_origin == "*" || origin == options_.cors_origin;
  const std::string_view host = origin.substr(std::min(origin.find("//") + 2, origin.size()));
  if (!origin.empty() && !is_allowed && (host.empty() || !document::same_ignoring_case(host, request.header("host"))))
    throw HttpError(403,
                    fmt::format("pages of {} may not call this server; --cors-origin allows them", excerpt(origin)));
}

void Router::complete(const HttpRequest& request, HttpResponse& response) const {
  auto& headers = response.headers;
  headers.emplace_back("Server", "dragoman");
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("X-Frame-Options", "DENY");
  headers.emplace_back("Referrer-Policy", "no-referrer");
  headers.emplace_back("Content-Security-Policy",
                       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  if (options_.cors_origin.empty() || request.header("origin").empty()) return;
  headers.emplace_back("Access-Control-Allow-Origin", options_.cors_origin);
  headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
  headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
  headers.emplace_back("Vary", "Origin");
}

void Router::record(const HttpRequest& request, const HttpResponse& response, const std::string& key, const char* route,
                    Clock::time_point begin) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  metrics_.count_request(route, response.status, seconds);
  log_.write(request, response, {key, route}, seconds);
}

void Router::finish(Exchange& exchange, const std::string& key, const char* route, HttpResponse response,
                    Clock::time_point begin) {
  const HttpRequest& request = exchange.request();
  // A client that has left gets no response, one that waited too long has got it; the log says which.
  const Fate& fate = *exchange.fate();
  if (fate.cancelled) response = error_response(request, {fate.status, "the server is busy with other requests", 1});
  complete(request, response);
  record(request, response, key, route, begin);
  exchange.respond(std::move(response));
}

HttpResponse Router::error_page(const HttpRequest& request, const HttpError& error) {
  HttpResponse response = error_response(request, error);
  complete(request, response);
  if (error.status() != kTooLate)
    record(request, response, "", kNoRoute, Clock::now());  // else when its work has ended
  return response;
}

}  // namespace dragoman::serve
