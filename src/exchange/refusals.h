#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "models/config.h"

namespace dragoman::exchange {

// What keeps a model from being written in a format. All reasons are gathered, so that one message has them all.
class Refusals {
 public:
  // `format`: in words, such as "a MarianMT model".
  explicit Refusals(std::string format) : format_(std::move(format)) {}

  void add(std::string reason) { reasons_.push_back(std::move(reason)); }
  // A setting that must have another value.
  template <class T>
  void expect(bool fits, std::string_view setting, const T& value, std::string_view expected) {
    if (!fits) add(fmt::format("{} is {} instead of {}", setting, value, expected));
  }
  template <class T>
  void expect_named(bool fits, std::string_view setting, T value, std::string_view expected) {
    expect(fits, setting, name_of(value), expected);
  }

  // What no other program's Transformer has: other families, classifiers, the lexical model, Linformers, recurrent
  // units, scores that are not dot products.
  void expect_transformer(const models::ModelConfig& config);

  // Throws Error if there are reasons.
  void finish(const std::string& path) const;

 private:
  std::string format_;
  std::vector<std::string> reasons_;
};

}  // namespace dragoman::exchange
