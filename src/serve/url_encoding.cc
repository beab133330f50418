#include "serve/url_encoding.h"

#include <algorithm>

#include "serve/http_message.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMostPairs = 10'000;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string decode_url(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) throw HttpError(400, "expected two hexadecimal digits after each % of an encoded text");
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::vector<std::pair<std::string, std::string>> decode_form(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto decode = [](std::string_view part) {
    std::string spaced(part);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    return decode_url(spaced);
  };
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    if (pairs.size() == kMostPairs) throw HttpError(400, fmt::format("a form may have {} fields", kMostPairs));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    pairs.emplace_back(decode(pair.substr(0, equals)), decode(pair.substr(std::min(equals + 1, pair.size()))));
  }
  return pairs;
}

}  // namespace dragoman::serve
