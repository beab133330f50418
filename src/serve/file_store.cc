#include "serve/file_store.h"

#include "base/random_id.h"

namespace dragoman::serve {

std::size_t FileStore::bytes_of(const File& file) {
  constexpr std::size_t kOverhead = 512;  // identifiers, list and allocations, about
  return kOverhead + file.name.size() + file.content.size();
}

std::string FileStore::add(File file, Clock::time_point now) {
  std::string id = random_id();
  const std::lock_guard lock(mutex_);
  bytes_ += bytes_of(file);
  entries_.push_back({id, std::move(file), now + lifetime_});
  while (entries_.size() > 1 && (bytes_ > most_ || entries_.front().expires <= now)) {
    bytes_ -= bytes_of(entries_.front().file);
    entries_.pop_front();
  }
  return id;
}

std::optional<FileStore::File> FileStore::find(const std::string& id, Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.id == id && entry.expires > now) return entry.file;
  return std::nullopt;
}

}  // namespace dragoman::serve
