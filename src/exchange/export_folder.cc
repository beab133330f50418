#include "exchange/export_folder.h"

#include <filesystem>

#include "base/bounded_json.h"
#include "base/error.h"
#include "base/file.h"

namespace dragoman::exchange {

namespace fs = std::filesystem;

ExportFolder::ExportFolder(std::string path) : path_(std::move(path)) {
  std::error_code reason;
  const fs::file_status status = fs::status(path_, reason);
  check(status.type() != fs::file_type::none, "{}: cannot be written: {}", path_, reason.message());
  check(!fs::exists(status) || (fs::is_directory(status) && fs::is_empty(path_, reason)),
        "{}: exists already; expected the name of a new folder or of an empty one", path_);
}

ExportFolder::~ExportFolder() {
  if (finished_) return;
  std::error_code ignored;
  for (const std::string& name : files_) fs::remove(fs::path(path_) / name, ignored);
  if (created_) fs::remove(path_, ignored);
}

std::string ExportFolder::file(const std::string& name) {
  std::error_code error;
  created_ |= fs::create_directories(path_, error);
  check(!error, "{}: cannot create the folder: {}", path_, error.message());
  files_.push_back(name);
  return (fs::path(path_) / name).string();
}

void ExportFolder::write(const std::string& name, std::string_view bytes) {
  AtomicFile to(file(name));
  to.write(bytes);
  to.commit();
}

void ExportFolder::write_json(const std::string& name, nlohmann::ordered_json json) {
  const JsonReleaser releaser(json);
  write(name, json.dump(2) + "\n");
}

}  // namespace dragoman::exchange
