#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file_lock.h"
#include "base/log.h"
#include "base/system_reason.h"
#include "base/version.h"
#include "data/tokenize.h"

namespace dragoman::data {
namespace {

namespace fs = std::filesystem;

void add_file(Hasher& hasher, const std::string& path) {
  if (path.empty()) return;
  std::ifstream file(path, std::ios::binary);
  check(file.good(), "{}: cannot be opened: {}", path, system_reason);
  std::vector<char> buffer(1u << 20);
  std::uint64_t size = 0;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0) {
    hasher.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
    size += static_cast<std::uint64_t>(file.gcount());
  }
  check(!file.bad(), "{}: cannot be read", path);
  hasher.add_value(size);
}

template <class Options>
void add_settings(Hasher& hasher, Options options) {
  const Settings settings(options);
  for (const Setting& setting : settings.all()) {
    hasher.add_text(setting.key);
    hasher.add_text(setting.get());
  }
}

// Hash of everything except the corpus content that determines the tokens; part of the store's file name.
std::uint64_t settings_hash(const TokenRequest& request) {
  Hasher hasher;
  const Corpus& corpus = request.corpus;
  for (const std::string& path : {corpus.source, corpus.target})
    hasher.add_text(path.empty() ? "" : fs::absolute(path).lexically_normal().string());
  hasher.add_value(corpus.format);
  hasher.add_text(corpus.source_column);
  hasher.add_text(corpus.target_column);
  hasher.add_value(corpus.header);
  add_settings(hasher, request.reading);
  add_settings(hasher, request.filters);
  hasher.add_value(request.filters.labels);
  hasher.add_text(request.source->serialize());
  if (request.target != request.source) hasher.add_text(request.target->serialize());
  hasher.add_value(request.keep_text);
  hasher.add_text(DRAGOMAN_VERSION);
  return hasher.value();
}

std::uint64_t content_hash(const Corpus& corpus) {
  Hasher hasher;
  add_file(hasher, corpus.source);
  add_file(hasher, corpus.target);
  return hasher.value();
}

fs::path user_cache() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return fs::path(cache) / "dragoman";
  const char* const home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".cache" / "dragoman" : fs::path();
}

// Folders for a store, the preferred one first.
std::vector<fs::path> folders(const TokenRequest& request) {
  if (!request.cache_folder.empty()) return {request.cache_folder};
  std::vector<fs::path> list = {fs::absolute(request.corpus.source).parent_path()};
  if (const fs::path cache = user_cache(); !cache.empty()) list.push_back(cache);
  return list;
}

bool is_writable(const fs::path& folder, bool create) {
  std::error_code ignored;
  if (create) fs::create_directories(folder, ignored);
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

std::string file_name(const TokenRequest& request, std::uint64_t settings) {
  return fmt::format("{}.{:016x}.tokens", fs::path(request.corpus.source).filename().string(), settings);
}

fs::path writable_folder(const TokenRequest& request) {
  const std::vector<fs::path> list = folders(request);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (is_writable(list[i], i > 0 || !request.cache_folder.empty())) return list[i];
  fail("{}: cannot store its tokens: {} is not writable; give a cache folder", request.corpus.source,
       list.back().string());
}

VocabularySizes sizes_of(const TokenRequest& request) { return {request.source->size(), request.target->size()}; }

TokenStore open_written(const std::string& path, std::uint64_t key, const TokenRequest& request) {
  std::string why;
  const auto store = TokenStore::open(path, key, sizes_of(request), &why);
  check(store.has_value(), "{}: cannot be used although it was just written: {}", path, why);
  return *store;
}

// For a corpus that can be read only once: the file is unlinked as soon as it is mapped.
TokenStore tokens_of_stream(const TokenRequest& request) {
  const std::string folder = request.cache_folder.empty() ? fs::temp_directory_path().string() : request.cache_folder;
  std::string path = folder + "/dragoman-XXXXXX";
  const int descriptor = mkstemp(path.data());
  check(descriptor >= 0, "{}: cannot be written: {}", path, system_reason);
  close(descriptor);
  struct Remove {
    const std::string& path;
    ~Remove() { unlink(path.c_str()); }
  } remove{path};
  tokenize_corpus(request, path, 0);
  return open_written(path, 0, request);
}

}  // namespace

std::string token_store_path(const TokenRequest& request) {
  return writable_folder(request) / file_name(request, settings_hash(request));
}

TokenStore open_tokens(const TokenRequest& request, std::string* written) {
  if (request.corpus.source == "-" || request.corpus.target == "-") return tokens_of_stream(request);
  const std::uint64_t settings = settings_hash(request);
  const std::uint64_t key = mix(settings, content_hash(request.corpus));
  const std::string name = file_name(request, settings);
  for (const fs::path& folder : folders(request))
    if (auto store = TokenStore::open(folder / name, key, sizes_of(request))) return *store;
  const std::string path = writable_folder(request) / name;
  const FileLock lock(path + ".lock");
  std::string why;
  if (auto store = TokenStore::open(path, key, sizes_of(request), &why)) return *store;
  if (access(path.c_str(), F_OK) == 0) log::info("{}: rebuilding: {}", path, why);
  tokenize_corpus(request, path, key);
  if (written != nullptr) *written = path;
  return open_written(path, key, request);
}

}  // namespace dragoman::data
