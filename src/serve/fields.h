#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "serve/http_message.h"
#include "serve/multipart.h"

namespace dragoman::serve {

// The parameters of a request, whether they came as JSON, as a form, in several parts or in the query. All accessors
// throw HttpError 400 that names the field if it is not what is asked for.
class Fields {
 public:
  // Throws HttpError 400 if the request cannot be read or is not UTF-8.
  explicit Fields(const HttpRequest& request) : Fields(request, request.body) {}
  // With a body that was taken out of the request.
  Fields(const HttpRequest& request, const std::string& content);

  bool has(const std::string& key) const { return values_.contains(key) && !values_[key].is_null(); }
  bool is_list(const std::string& key) const { return has(key) && values_[key].is_array(); }
  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& usual) const { return has(key) ? text(key) : usual; }
  // One text or a list of texts.
  std::vector<std::string> texts(const std::string& key) const;
  // A number or its digits, within the bounds.
  int integer_or(const std::string& key, int usual, int low, int high) const;
  // true, "true", 1 or "1".
  bool flag_or(const std::string& key, bool usual) const;
  // The value as JSON; null if there is none.
  const nlohmann::json& value(const std::string& key) const;
  const FormPart& file(const std::string& key) const;

 private:
  void read_json(const std::string& content);
  void add(const std::string& key, std::string value);

  nlohmann::json values_ = nlohmann::json::object();
  std::map<std::string, FormPart> files_;
};

}  // namespace dragoman::serve
