#include "serve/http_message.h"

#include <algorithm>

namespace dragoman::serve {

namespace {

auto is_named(std::string_view name) {
  return [name](const auto& header) { return header.first == name; };
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), is_named(name));
  return found == headers.end() ? std::string_view() : found->second;
}

std::string_view HttpRequest::last_header(std::string_view name) const {
  const auto found = std::find_if(headers.rbegin(), headers.rend(), is_named(name));
  return found == headers.rend() ? std::string_view() : found->second;
}

bool HttpRequest::has_header(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(), is_named(name));
}

}  // namespace dragoman::serve
