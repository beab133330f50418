#include "run/training_ranks.h"

#include <set>
#include <sstream>

#include "run/training_settings.h"

namespace dragoman::run {
namespace {

// Settings that may differ between machines or do not change what is learned.
const std::set<std::string> kOwnSettings = {"device", "threads", "devices", "transport", "join-timeout", "cache"};

// One line per setting.
std::string shared_settings(const TrainingOptions& options) {
  std::string lines = fmt::format("a checkpoint to resume from: {}\n", options.continues() ? "yes" : "no");
  TrainingOptions absolute = options;
  make_paths_absolute(absolute);
  const Settings settings(absolute);
  for (const Setting& setting : settings.all())
    if (!kOwnSettings.contains(setting.key))
      lines += fmt::format("--{}: {}\n", setting.key, setting.text ? setting.text() : setting.get());
  return lines;
}

// The first lines in which two texts differ.
std::pair<std::string, std::string> first_difference(const std::string& one, const std::string& two) {
  std::istringstream first(one), second(two);
  for (std::string a, b;;) {
    const bool more = bool(std::getline(first, a)), also = bool(std::getline(second, b));
    if (!more && !also) return {};
    if (a != b || more != also) return {a, b};
  }
}

// All ranks find the same difference; the first one reports it.
[[noreturn]] void refuse(const std::string& words, const comm::Communicator& comm) {
  if (comm.leads()) fail("{}", words);
  throw comm::PeerFailure(words);
}

}  // namespace

void check_same_settings(const TrainingOptions& options, comm::Communicator& comm) {
  if (comm.size() == 1) return;
  const std::vector<std::string> all = comm.exchange(shared_settings(options));
  for (int rank = 1; rank < comm.size(); ++rank) {
    const auto [first, other] = first_difference(all.front(), all[static_cast<std::size_t>(rank)]);
    if (first != other)
      refuse(fmt::format("{} has another setting than {}: '{}' instead of '{}'", comm.describe(rank), comm.describe(0),
                         other, first),
             comm);
  }
}

void check_same_data(const char* what, std::uint64_t hash, comm::Communicator& comm) {
  const std::vector<std::string> all = comm.exchange(std::to_string(hash));
  for (int rank = 1; rank < comm.size(); ++rank)
    if (all[static_cast<std::size_t>(rank)] != all.front())
      refuse(fmt::format("{} has other {} than {}: the files, or how they are tokenised, differ", comm.describe(rank),
                         what, comm.describe(0)),
             comm);
}

Vocabularies share_vocabularies(const TrainingOptions& options, comm::Communicator& comm) {
  Vocabularies made;
  if (comm.leads()) made = make_vocabularies(options);
  if (comm.size() == 1) return made;
  const std::string source = comm.from_leader(comm.leads() ? made.source->serialize() : "");
  const std::string target = comm.from_leader(comm.leads() ? made.target->serialize() : "");
  if (comm.leads()) return made;
  made.source = text::deserialize_tokenizer(source);
  made.target = source == target ? made.source : text::deserialize_tokenizer(target);
  return made;
}

std::unique_ptr<RunData> share_data(const TrainingOptions& options, const Vocabularies& vocabularies,
                                    comm::Communicator& comm) {
  std::unique_ptr<RunData> data;
  if (comm.leads()) data = std::make_unique<RunData>(options, vocabularies);
  comm.barrier();
  if (!comm.leads()) data = std::make_unique<RunData>(options, vocabularies);
  return data;
}

}  // namespace dragoman::run
