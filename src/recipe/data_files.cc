#include "recipe/data_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/bounded_json.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "base/system_reason.h"
#include "recipe/transfer.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// SHA-256 of files, computed again only if size or time of modification changed. Lost knowledge costs time only, so a
// damaged file is forgotten and one that cannot be written is left out.
class ChecksumCache {
 public:
  explicit ChecksumCache(std::string path) : path_(std::move(path)) {
    if (fs::is_regular_file(path_)) known_ = parse_json_or_null(read_file(path_));
    if (!known_.is_object()) known_ = json::object();
  }

  std::string sha256(const std::string& path, Progress& progress) {
    const std::string stamp = stamp_of(path);
    json& entry = known_[fs::absolute(path).lexically_normal().string()];
    const std::string before = entry.is_string() ? entry.get<std::string>() : "";
    if (before.starts_with(stamp)) return before.substr(stamp.size());
    const std::string hash = sha256_of_file(path, [&](std::int64_t bytes) { progress.advance(bytes); });
    entry = stamp + hash;
    changed_ = true;
    return hash;
  }
  void save() const {
    if (!changed_) return;
    try {
      fs::create_directories(fs::path(path_).parent_path());
      AtomicFile file(path_);
      file.write(known_.dump(1) + "\n");
      file.commit();
    } catch (const std::exception& error) {
      log::debug("checksums are not remembered: {}", error.what());
    }
  }

 private:
  // Size and time of modification.
  static std::string stamp_of(const std::string& path) {
    struct stat status {};
    check(stat(path.c_str(), &status) == 0, "{}: cannot be read: {}", path, system_reason);
    return fmt::format("{} {}.{:09} ", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }

  std::string path_;
  json known_ = json::object();
  bool changed_ = false;
};

std::string downloads(const std::string& output) { return (fs::path(output) / "data").string(); }

bool is_writable(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

// Percent-encodes what may not stand in the path of a URL.
std::string escaped(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=:@";
  std::string text;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (plain || kPlain.find(c) != std::string_view::npos)
      text += c;
    else
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string below(std::string base, const std::string& path) {
  while (base.ends_with('/')) base.pop_back();
  return base + "/" + escaped(path);
}

std::string url_of(const DataFolder& folder, const DataFile& file, const DataOptions& options) {
  if (!options.mirror.empty()) return below(options.mirror, folder.name + "/" + file.name);
  if (!file.url.empty()) return file.url;
  return folder.url.empty() ? "" : below(folder.url, file.name);
}

DataStatus look_up(const DataFolder& folder, const DataFile& file, const DataOptions& options,
                   const std::string& output, ChecksumCache& checksums, Progress& progress) {
  DataStatus status{.name = folder.name + "/" + file.name,
                    .about = folder.about.substr(0, folder.about.find_last_not_of('\n') + 1),
                    .state = DataState::missing,
                    .path = {},
                    .url = url_of(folder, file, options),
                    .expected = file.sha256,
                    .actual = {}};
  std::transform(status.expected.begin(), status.expected.end(), status.expected.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string& root : {options.directory, downloads(output)}) {
    const std::string path = (fs::path(root) / status.name).string();
    if (!fs::is_regular_file(path)) continue;
    const std::string actual = checksums.sha256(path, progress);
    if (actual == status.expected) {
      status.state = DataState::present;
      status.path = path;
      status.actual.clear();
      return status;
    }
    if (status.state == DataState::damaged) continue;
    status.state = DataState::damaged;
    status.path = path;
    status.actual = actual;
  }
  if (status.state == DataState::missing && !status.url.empty()) status.state = DataState::downloadable;
  return status;
}

// Why a run cannot begin, for all files at once; empty if it can.
std::string complaints(const std::vector<DataStatus>& files, const DataOptions& options) {
  const std::string obstacle = options.offline ? "" : transfer_obstacle();
  const bool may_download = !options.offline && obstacle.empty();
  std::string list, about;
  bool damaged = false, missing = false, waiting = false;
  for (const DataStatus& file : files) {
    if (file.state == DataState::damaged) {
      damaged = true;
      list += fmt::format("\n  {}: expected SHA-256 {} but got {}", file.path, file.expected, file.actual);
    } else if (file.state == DataState::missing) {
      missing = true;
      if (std::exchange(about, file.about) != file.about) list += fmt::format("\n  {}", file.about);
      list += fmt::format("\n  {}: missing", file.name);
    } else if (file.state == DataState::downloadable && !may_download) {
      waiting = true;
      list += fmt::format("\n  {}: missing; it is at {}", file.name, file.url);
    }
  }
  if (list.empty()) return list;
  std::string text = "the data is not complete:" + list;
  if (damaged) text += "\nReplace or remove the files that have another checksum.";
  if (missing || waiting)
    text += fmt::format("\nPut missing files at {}/FOLDER/FILE, or name the folder that has them with --data DIR{}.",
                        options.directory, missing && may_download ? ", or a server with --mirror URL" : "");
  if (waiting)
    text += options.offline ? "\nWithout --offline, files with an address are downloaded."
                            : fmt::format("\nThese {}.", obstacle);
  return text;
}

void download_missing(const std::vector<DataStatus>& files, const DataOptions& options, const std::string& root) {
  std::string failures;
  std::size_t number = 0;
  const auto count = std::count_if(files.begin(), files.end(),
                                   [](const DataStatus& file) { return file.state == DataState::downloadable; });
  for (const DataStatus& file : files) {
    if (file.state != DataState::downloadable) continue;
    const std::string path = (fs::path(root) / file.name).string();
    log::info("downloading {} ({} of {}) from {}", file.name, ++number, count, file.url);
    try {
      download({.url = file.url, .path = path, .sha256 = file.expected}, options.download);
    } catch (const ServerUnreachable& error) {
      failures += fmt::format("\n  {}", error.what());
      break;
    } catch (const Error& error) {
      failures += fmt::format("\n  {}", error.what());
    }
  }
  check(failures.empty(),
        "the data is not complete:{}\nTry again, use another server with --mirror URL, or put the "
        "files at {}/FOLDER/FILE.",
        failures, root);
}

// Makes FOLDER/FILE under `root` a link to files that are elsewhere.
void link_present(const std::vector<DataStatus>& files, const std::string& root) {
  for (const DataStatus& file : files) {
    const fs::path link = fs::path(root) / file.name;
    if (file.state != DataState::present || (fs::exists(link) && fs::equivalent(link, file.path))) continue;
    fs::create_directories(link.parent_path());
    const fs::path fresh = link.string() + ".link-" + std::to_string(getpid());
    fs::create_symlink(fs::absolute(file.path), fresh);
    fs::rename(fresh, link);  // replaces an older link in one step, since other processes may be reading it
  }
}

// Where missing files go and where, in the end, all files are.
std::string choose_root(const std::vector<DataStatus>& files, const DataOptions& options, const std::string& output) {
  const fs::path directory = options.directory;
  const bool fits = std::all_of(files.begin(), files.end(), [&](const DataStatus& file) {
    const fs::path path = directory / file.name;
    return file.state == DataState::present ? file.path == path : is_writable(path.parent_path());
  });
  return fits ? options.directory : downloads(output);
}

}  // namespace

std::vector<DataStatus> look_up_data(const std::vector<DataFolder>& folders, const DataOptions& options,
                                     const std::string& output, bool remember) {
  ChecksumCache checksums((fs::path(output) / "data-checksums.json").string());
  Progress progress("checking the data", 0, "bytes");
  std::vector<DataStatus> all;
  for (const DataFolder& folder : folders)
    for (const DataFile& file : folder.files)
      all.push_back(look_up(folder, file, options, output, checksums, progress));
  progress.finish();
  if (remember) checksums.save();
  return all;
}

std::string find_data(const std::vector<DataFolder>& folders, const DataOptions& options, const std::string& output) {
  const std::vector<DataStatus> files = look_up_data(folders, options, output);
  if (const std::string reasons = complaints(files, options); !reasons.empty()) throw Error(reasons);
  const std::string root = choose_root(files, options, output);
  download_missing(files, options, root);
  link_present(files, root);
  return root;
}

}  // namespace dragoman::recipe
