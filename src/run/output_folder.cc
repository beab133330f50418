#include "run/output_folder.h"

#include <filesystem>
#include <optional>

#include "base/file.h"

namespace dragoman::run {

namespace fs = std::filesystem;

FileLock claim_output_folder(const TrainingOptions& options) {
  const std::string& folder = options.train.output;
  check(!folder.empty(), "expected --output FOLDER, where the run goes");
  std::error_code problem;
  fs::create_directories(folder, problem);
  check(!problem, "{}: cannot be made: {}", folder, problem.message());
  std::optional<FileLock> lock = FileLock::try_lock(folder + "/lock");
  check(lock.has_value(), "{}: another trainer is at work in this folder", folder);
  if (options.overwrite && !options.resume)
    for (const char* old : {"/checkpoints", "/model.safetensors", "/log.jsonl"}) fs::remove_all(folder + old);
  check(options.resume || !fs::exists(folder + "/checkpoints"),
        "{}: holds a run already; --resume goes on with it, --overwrite begins anew", folder);
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
