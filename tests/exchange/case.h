#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "exchange/import.h"
#include "search/model.h"
#include "tests/support/temp_folder.h"

// A model of tests/golden/import (written by make_import.py beside it), imported, with what its own program computes.
namespace dragoman::exchange {

inline std::string case_folder(const std::string& name) { return std::string(DRAGOMAN_GOLDEN "/import/") + name; }

class ImportedCase {
 public:
  explicit ImportedCase(const std::string& name, const std::string& file = "")
      : path_(folder_.file("model.safetensors")),
        summary_(import_model({case_folder(name) + file}, path_, store::StoredFormat::f32)),
        model_(path_, find_placement({.device = "cpu"})),
        expected_(nlohmann::json::parse(std::ifstream(case_folder(name) + "/expected.json"))) {}

  const std::string& path() const { return path_; }
  const ImportSummary& summary() const { return summary_; }
  const search::Model& model() const { return model_; }
  const nlohmann::json& expected() const { return expected_; }
  std::string to() const { return expected_.value("to", ""); }
  std::string from() const { return expected_.value("from", ""); }

 private:
  support::TempFolder folder_;
  std::string path_;
  ImportSummary summary_;
  search::Model model_;
  nlohmann::json expected_;
};

}  // namespace dragoman::exchange
