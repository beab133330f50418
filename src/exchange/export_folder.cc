#include "exchange/export_folder.h"

#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace dragoman::exchange {

namespace fs = std::filesystem;

ExportFolder::ExportFolder(std::string path) : path_(std::move(path)) {
  check(!fs::exists(path_) || (fs::is_directory(path_) && fs::is_empty(path_)),
        "{}: exists already; expected the name of a new folder or of an empty one", path_);
}

std::string ExportFolder::file(const std::string& name) {
  std::error_code error;
  fs::create_directories(path_, error);
  check(fs::is_directory(path_), "{}: cannot create the folder: {}", path_, error.message());
  files_.push_back(name);
  return (fs::path(path_) / name).string();
}

void ExportFolder::write(const std::string& name, std::string_view bytes) {
  AtomicFile to(file(name));
  to.write(bytes);
  to.commit();
}

void ExportFolder::write_json(const std::string& name, const nlohmann::ordered_json& json) {
  write(name, json.dump(2) + "\n");
}

}  // namespace dragoman::exchange
