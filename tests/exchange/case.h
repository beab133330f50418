#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "exchange/import.h"
#include "search/engine/model.h"
#include "tests/support/temp_folder.h"

// A model of tests/golden/import (written by make_import.py beside it), imported, with what its own program computes.
namespace dragoman::exchange {

inline std::string case_folder(const std::string& name) { return std::string(DRAGOMAN_GOLDEN "/import/") + name; }

class ImportedCase {
 public:
  // `vocabularies`: files of the folder; by default import finds them.
  explicit ImportedCase(const std::string& name, const std::vector<std::string>& vocabularies = {})
      : path_(folder_.file("model.safetensors")),
        summary_(import_model({case_folder(name), in_folder(name, vocabularies)}, path_, store::StoredFormat::f32)),
        model_(path_, find_placement({.device = "cpu"})),
        expected_(nlohmann::json::parse(std::ifstream(case_folder(name) + "/expected.json"))) {}

  const std::string& path() const { return path_; }
  const ImportSummary& summary() const { return summary_; }
  const search::Model& model() const { return model_; }
  const nlohmann::json& expected() const { return expected_; }
  std::string to() const { return expected_.value("to", ""); }
  std::string from() const { return expected_.value("from", ""); }

 private:
  static std::vector<std::string> in_folder(const std::string& name, std::vector<std::string> files) {
    for (std::string& file : files) file = case_folder(name) + "/" + file;
    return files;
  }

  support::TempFolder folder_;
  std::string path_;
  ImportSummary summary_;
  search::Model model_;
  nlohmann::json expected_;
};

}  // namespace dragoman::exchange
