#include "run/training_team.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/log.h"
#include "base/threads.h"
#include "run/training_settings.h"

namespace dragoman::run {
namespace {

// Settings that may differ between machines or do not change what is learned.
const std::set<std::string> kOwnSettings = {"device", "threads", "devices", "transport", "join-timeout", "cache"};

comm::Place place_of(const TrainingMachine& machine) {
  comm::Place place = comm::find_place();
  check(machine.devices <= 1 || place.size == 1 || machine.devices == place.size,
        "--devices {} starts that many processes itself, but a launcher has already started {}; leave --devices out",
        machine.devices, place.size);
  return place;
}

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

}  // namespace

TrainingTeam::TrainingTeam(TrainingOptions& options, const std::vector<std::string>& arguments) {
  comm::Place place = place_of(options.compute);
  started_by_first_ = !place.token.empty();
  std::unique_ptr<comm::Listener> listener;
  if (options.compute.devices > 1 && place.size == 1) {
    workers_ = std::make_unique<comm::LocalWorkers>(options.compute.devices, arguments);
    place = workers_->place();
    listener = workers_->take_listener();
  }
  options.compute.devices = place.size;
  options.compute.local_rank = place.local_rank;
  if (place.rank > 0) log::set_level(log::Level::error);
  const comm::HubTimes times{.join = std::chrono::seconds(options.compute.join_timeout)};
  comm_ = comm::join(place, options.compute.transport, find_device(options.compute.placement().device),
                     std::move(listener), times, [this] {
                       if (workers_) workers_->check_running();
                     });
  if (place.size == 1) return;
  if (options.compute.threads == 0) threads::set_count(std::max(1, threads::available() / comm_->local_size()));
  log::info("{} processes train together, connected by {}", place.size, comm_->name());
}

bool TrainingTeam::reports(const std::exception& error) const {
  if (comm_->leads()) return true;
  const bool from_elsewhere = dynamic_cast<const comm::PeerFailure*>(&error) != nullptr;
  const bool first_is_lost = std::string(error.what()).starts_with(comm_->describe(0) + " ");
  return from_elsewhere ? comm_->rank() == 1 && first_is_lost : !started_by_first_;
}

void check_same_settings(const TrainingOptions& options, comm::Communicator& comm) {
  if (comm.size() == 1) return;
  const std::vector<std::string> all = comm.exchange(shared_settings(options));
  for (int rank = 1; rank < comm.size(); ++rank) {
    const auto [first, other] = first_difference(all.front(), all[static_cast<std::size_t>(rank)]);
    check(first == other, "{} has another setting than {}: '{}' instead of '{}'", comm.describe(rank), comm.describe(0),
          other, first);
  }
}

void check_same_data(std::uint64_t hash, comm::Communicator& comm) {
  const std::vector<std::string> all = comm.exchange(std::to_string(hash));
  for (int rank = 1; rank < comm.size(); ++rank)
    check(all[static_cast<std::size_t>(rank)] == all.front(),
          "{} has other training data than {}: the files, or how they are tokenised, differ", comm.describe(rank),
          comm.describe(0));
}

}  // namespace dragoman::run
