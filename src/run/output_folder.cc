#include "run/output_folder.h"

#include <filesystem>
#include <optional>

#include "base/file.h"

namespace dragoman::run {

namespace fs = std::filesystem;

FileLock claim_output_folder(const TrainingOptions& options) {
  const std::string& folder = options.train.output;
  check(!folder.empty(), "expected --output FOLDER, the folder to train in");
  std::error_code problem;
  fs::create_directories(folder, problem);
  check(!problem, "{}: cannot be created: {}", folder, problem.message());
  std::optional<FileLock> lock = FileLock::try_lock(folder + "/lock");
  check(lock.has_value(), "{}: another process is training in this folder", folder);
  if (options.overwrite && !options.resume)
    for (const char* old : {"/checkpoints", "/model.safetensors", "/log.jsonl"}) fs::remove_all(folder + old);
  check(options.resume || !fs::exists(folder + "/checkpoints"),
        "{}: already holds a run; --resume continues it, --overwrite starts again", folder);
  return std::move(*lock);
}

std::string settings_file(const std::string& folder) { return folder + "/config.yaml"; }

void save_settings(TrainingOptions options) {
  options.resume = options.overwrite = options.dry_run = options.verify_resume = false;
  AtomicFile file(settings_file(options.train.output));
  file.write(Settings(options).dump());
  file.commit();
}

}  // namespace dragoman::run
