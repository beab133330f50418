#include "serve/load.h"

#include "serve/http_message.h"

namespace dragoman::serve {

std::size_t estimate_tokens(std::string_view text) {
  constexpr std::size_t kBytesPerToken = 4;
  return 1 + text.size() / kBytesPerToken;
}

std::unique_ptr<Load::Ticket> Load::admit(std::size_t tokens) {
  const std::lock_guard lock(mutex_);
  if (requests_ > 0 && tokens_ + tokens > most_)
    throw HttpError(503, "too many requests are waiting; try again later", 1);
  auto ticket = std::make_unique<Ticket>(*this, tokens);
  tokens_ += tokens;
  ++requests_;
  return ticket;
}

std::size_t Load::tokens() const {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

std::size_t Load::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void Load::leave(std::size_t tokens) {
  const std::lock_guard lock(mutex_);
  tokens_ -= tokens;
  --requests_;
}

}  // namespace dragoman::serve
