#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.h"

namespace dragoman::exchange {

enum class ExportFormat { huggingface, ctranslate2, numpy };

struct ExportSummary {
  std::int64_t parameters = 0;
  std::vector<std::string> files{};     // of the folder, the weights last
  std::vector<std::string> left_out{};  // what the model file has and the folder has not, one sentence each
};

// Writes a model file as the folder of another program's model, which must be new or empty. Throws Error with all
// reasons if that program cannot compute what the model computes; then nothing is written.
ExportSummary export_model(const std::string& model, ExportFormat format, const std::string& folder);

}  // namespace dragoman::exchange

template <>
struct dragoman::EnumNames<dragoman::exchange::ExportFormat> {
  using Format = dragoman::exchange::ExportFormat;
  static constexpr std::pair<Format, const char*> list[] = {
      {Format::huggingface, "huggingface"}, {Format::ctranslate2, "ctranslate2"}, {Format::numpy, "numpy"}};
};
