#include "serve/file_store.h"

#include "base/random_id.h"
#include "serve/http_message.h"

namespace dragoman::serve {

std::string FileStore::add(const std::string& client, File file, Clock::time_point now) {
  constexpr std::size_t kOverhead = 512;  // identifiers, tables and allocations, about
  const std::string id = random_id();
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.expires <= now; });
  auto bytes =
      bytes_.take(client, kOverhead + file.name.size() + file.content.size(), [this, id] { entries_.erase(id); });
  if (bytes == nullptr) throw HttpError(503, "there is no room for the translated file; try again later", 1);
  entries_[id] = {std::move(file), now + lifetime_, std::move(bytes)};
  return id;
}

std::optional<FileStore::File> FileStore::find(const std::string& id, Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() || found->second.expires <= now ? std::nullopt : std::optional(found->second.file);
}

}  // namespace dragoman::serve
