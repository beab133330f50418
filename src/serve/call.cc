#include "serve/call.h"

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "run/json_text.h"
#include "search/engine/engine.h"

namespace dragoman::serve {
namespace {

// The status that an exception means to the client.
HttpError as_http_error(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const HttpError& error) {
    return error;
  } catch (const search::Cancelled& error) {
    return {kClientLeft, error.what()};
  } catch (const OutOfMemory& error) {
    log::error("{}", error.what());
    return {503, "memory ran out", 1};
  } catch (const Error& error) {
    return {400, error.what()};
  } catch (const std::exception& error) {
    log::error("a request failed: {}", error.what());
  } catch (...) {
    log::error("a request failed for an unknown reason");
  }
  return {500, "internal error"};
}

}  // namespace

bool is_deepl(const HttpRequest& request) {
  return request.path.starts_with("/v2/") || request.path.starts_with("/v3/");
}

const Fields& Call::fields() {
  if (!fields_) {
    const auto [body, memory] = exchange_->take_body();
    fields_.emplace(request(), body);
  }
  return *fields_;
}

void Call::respond(const nlohmann::ordered_json& json, int status) {
  respond(HttpResponse{.status = status, .body = run::to_text(json)});
}

void Call::fail(const std::exception_ptr& error) { respond(error_response(request(), as_http_error(error))); }

void Call::attempt(const std::function<void()>& step) {
  try {
    step();
  } catch (...) {
    fail(std::current_exception());
  }
}

HttpResponse error_response(const HttpRequest& request, const HttpError& error) {
  const nlohmann::ordered_json body = {{is_deepl(request) ? "message" : "error", error.what()}};
  HttpResponse response{.status = error.status(), .body = run::to_text(body)};
  if (error.retry_after() > 0) response.headers.emplace_back("Retry-After", std::to_string(error.retry_after()));
  return response;
}

}  // namespace dragoman::serve
