#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>

namespace dragoman::serve {

// About how many tokens a text has. Admission and batches need no exact number, and counting takes a tokenizer's time.
std::size_t estimate_tokens(std::string_view text);

// The work that was accepted and is not done, in tokens. Bounds what waits for the models.
class Load {
 public:
  explicit Load(std::size_t most_tokens) : most_(most_tokens) {}

  // Accepted work. Leaves the load when it is destroyed.
  class Ticket {
   public:
    Ticket(Load& load, std::size_t tokens) : load_(load), tokens_(tokens) {}
    ~Ticket() { load_.leave(tokens_); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    Load& load_;
    std::size_t tokens_;
  };

  // Throws HttpError 503, with a time to wait, if too much is waiting already. A request that finds nothing waiting is
  // accepted whatever its size; other limits bound that.
  std::unique_ptr<Ticket> admit(std::size_t tokens);
  std::size_t tokens() const;
  std::size_t requests() const;

 private:
  void leave(std::size_t tokens);

  mutable std::mutex mutex_;
  std::size_t most_, tokens_ = 0, requests_ = 0;
};

}  // namespace dragoman::serve
