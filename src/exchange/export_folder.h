#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::exchange {

// The folder of an exported model. It is created when its first file is written, and what is not finished is removed,
// so that a model that is refused and a full disk leave nothing behind.
class ExportFolder {
 public:
  // Throws Error if there is a file of this name or a folder with files.
  explicit ExportFolder(std::string path);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  // The path of a file of the folder, for who writes it.
  std::string file(const std::string& name);
  void write(const std::string& name, std::string_view bytes);
  // With the keys in the order of `json` if it is ordered.
  void write_json(const std::string& name, nlohmann::ordered_json json);
  // Something that the model file has and the folder has not.
  void leave_out(std::string what) { left_out_.push_back(std::move(what)); }
  // The folder has all its files and stays.
  void finish() { finished_ = true; }

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::string path_;
  std::vector<std::string> files_, left_out_;
  bool created_ = false, finished_ = false;
};

}  // namespace dragoman::exchange
