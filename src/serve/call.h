#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "serve/fields.h"
#include "serve/http_message.h"

namespace dragoman::serve {

// A request that a route has been found for, on its way through an endpoint.
class Call : public std::enable_shared_from_this<Call> {
 public:
  using Finish = std::function<void(Call&, HttpResponse)>;

  // `finish` completes and sends the response.
  Call(std::shared_ptr<Exchange> exchange, std::vector<std::string> parameters, Finish finish)
      : exchange_(std::move(exchange)), parameters_(std::move(parameters)), finish_(std::move(finish)) {}

  const HttpRequest& request() const { return exchange_->request(); }
  Exchange& exchange() { return *exchange_; }
  // The parts of the path that the route leaves open, such as an identifier.
  const std::string& parameter(std::size_t i) const { return parameters_.at(i); }
  // Reads the body at the first call and drops it. Only endpoints may call it, not what they leave for later.
  const Fields& fields();
  // The endpoint has read what it needs. A request may wait long, and its fields may take more memory than its body.
  void drop_fields() { fields_.reset(); }
  const Caller& caller() const { return caller_; }
  void set_caller(Caller caller) { caller_ = std::move(caller); }
  const std::shared_ptr<Fate>& fate() const { return exchange_->fate(); }

  void respond(HttpResponse response) { finish_(*this, std::move(response)); }
  void respond(const nlohmann::ordered_json& json, int status = 200);
  // Responds with an error.
  void fail(const std::exception_ptr& error);
  // Runs a step; an exception becomes the response.
  void attempt(const std::function<void()>& step);

 private:
  std::shared_ptr<Exchange> exchange_;
  std::vector<std::string> parameters_;
  Finish finish_;
  std::optional<Fields> fields_;
  Caller caller_;
};

// Whether the path is one of DeepL's.
bool is_deepl(const HttpRequest& request);

// The response to a request that failed, in the form that the clients of its path expect: {"error": …}, or
// {"message": …} under /v2 and /v3.
HttpResponse error_response(const HttpRequest& request, const HttpError& error);

}  // namespace dragoman::serve
