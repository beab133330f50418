#include "serve/fields.h"

#include <charconv>

#include "base/bounded_json.h"
#include "data/utf8.h"
#include "document/markup_tokens.h"
#include "serve/url_encoding.h"

namespace dragoman::serve {
namespace {

using UnorderedJson = nlohmann::json;

[[noreturn]] void refuse(const std::string& message) { throw HttpError(400, "Invalid request: " + message); }

// Whether a Content-Type names this type, with or without parameters.
bool is_type(std::string_view header, std::string_view type) {
  const std::string_view name = header.substr(0, header.find(';'));
  return document::same_ignoring_case(name.substr(0, name.find_last_not_of(" \t") + 1), type);
}

bool is_json(std::string_view type, std::string_view body) {
  if (is_type(type, "application/json")) return true;
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  return type.empty() && first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
}

bool is_utf8(std::string_view text) {
  for (;;) {
    const std::size_t at = data::find_invalid_utf8(text);
    if (at == std::string_view::npos) return true;
    if (text[at] != '\0') return false;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

Fields::Fields(const HttpRequest& request, const std::string& content) {
  for (auto& [key, value] : decode_form(request.query)) add(key, std::move(value));
  if (content.empty()) return;
  const std::string_view type = request.header("content-type");
  if (is_json(type, content)) {
    read_json(content);
  } else if (is_type(type, "multipart/form-data")) {
    for (FormPart& part : parse_multipart(type, content)) {
      if (part.is_file)
        files_.insert_or_assign(part.name, std::move(part));
      else
        add(part.name, std::move(part.content));
    }
  } else if (type.empty() || is_type(type, "application/x-www-form-urlencoded")) {
    for (auto& [key, value] : decode_form(content)) add(key, std::move(value));
  } else {
    refuse("the body must be JSON (application/json) or a form");
  }
}

void Fields::read_json(const std::string& content) {
  UnorderedJson body;
  try {
    body = parse_json(content, "the body");
  } catch (const DamagedJson& error) {
    refuse(error.what());
  }
  if (!body.is_object()) refuse("the body must be a JSON object");
  for (auto& [key, value] : body.items()) values_[key] = std::move(value);
}

// A field that comes several times is a list.
void Fields::add(const std::string& key, std::string value) {
  if (!is_utf8(key) || !is_utf8(value)) refuse("a field of the form is not UTF-8");
  UnorderedJson& field = values_[key];
  if (field.is_null())
    field = std::move(value);
  else if (field.is_array())
    field.push_back(std::move(value));
  else
    field = UnorderedJson::array({std::move(field), std::move(value)});
}

const UnorderedJson& Fields::value(const std::string& key) const {
  static const UnorderedJson none;
  const auto found = values_.find(key);
  return found == values_.end() ? none : *found;
}

std::string Fields::text(const std::string& key) const {
  if (!has(key)) refuse("missing " + key + " parameter");
  if (!value(key).is_string()) refuse(key + " must be text");
  return value(key).get<std::string>();
}

std::vector<std::string> Fields::texts(const std::string& key) const {
  if (!is_list(key)) return {text(key)};
  std::vector<std::string> all;
  for (const UnorderedJson& entry : value(key)) {
    if (!entry.is_string()) refuse(key + " must be text or a list of texts");
    all.push_back(entry.get<std::string>());
  }
  return all;
}

int Fields::integer_or(const std::string& key, int usual, int low, int high) const {
  if (!has(key)) return usual;
  const UnorderedJson& given = value(key);
  std::int64_t number = 0;
  bool good = given.is_number_integer();
  if (good) {
    number = given.get<std::int64_t>();
  } else if (given.is_string()) {
    const auto& digits = given.get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    good = error == std::errc() && end == digits.data() + digits.size();
  }
  if (!good || number < low || number > high)
    refuse(fmt::format("{} must be a number between {} and {}", key, low, high));
  return static_cast<int>(number);
}

bool Fields::flag_or(const std::string& key, bool usual) const {
  if (!has(key)) return usual;
  const UnorderedJson& given = value(key);
  if (given.is_boolean()) return given.get<bool>();
  if (given == "true" || given == "1" || given == 1) return true;
  if (given == "false" || given == "0" || given == 0) return false;
  refuse(key + " must be true or false");
}

const FormPart& Fields::file(const std::string& key) const {
  const auto found = files_.find(key);
  if (found == files_.end()) refuse("missing " + key + " parameter: a file, as multipart/form-data");
  return found->second;
}

}  // namespace dragoman::serve
