#include "train/agreement.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace dragoman::train {
namespace {

std::string to_message(const Announcement& one) {
  return fmt::format("{} {} {}", one.labels, one.stops ? 1 : 0, one.seconds);
}

// Nothing if the message is damaged.
std::optional<Announcement> read_message(const std::string& message) {
  std::istringstream words(message);
  Announcement one;
  if (!(words >> one.labels >> one.stops >> one.seconds)) return std::nullopt;
  return one;
}

}  // namespace

Agreement agree(comm::Communicator& comm, const Announcement& own) {
  const std::vector<std::string> messages = comm.exchange(to_message(own));
  Agreement agreed{.labels = 0, .stops = false, .waiting = {.ranks = comm.size()}};
  double longest = 0, sum = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto one = read_message(messages[static_cast<std::size_t>(rank)]);
    check(one.has_value(), "{}: sent a damaged message", comm.describe(rank));
    agreed.labels += one->labels;
    agreed.stops |= one->stops;
    sum += one->seconds;
    if (one->seconds > longest) agreed.waiting.slowest = rank;
    longest = std::max(longest, one->seconds);
  }
  const int others = comm.size() - 1;
  if (others > 0 && longest > 0) agreed.waiting.share = (comm.size() * longest - sum) / (others * longest);
  return agreed;
}

}  // namespace dragoman::train
