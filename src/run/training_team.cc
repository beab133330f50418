#include "run/training_team.h"

#include <algorithm>

#include "base/log.h"
#include "base/threads.h"

namespace dragoman::run {
namespace {

comm::Place place_of(const TrainingMachine& machine) {
  comm::Place place = comm::find_place();
  check(machine.devices <= 1 || place.size == 1 || !place.token.empty(),
        "--devices {} starts that many processes itself, but a launcher has already started {}; leave --devices out",
        machine.devices, place.size);
  return place;
}

}  // namespace

TrainingTeam::TrainingTeam(TrainingOptions& options, const std::vector<std::string>& arguments) {
  comm::Place place = place_of(options.compute);
  started_by_first_ = !place.token.empty();
  std::unique_ptr<comm::Listener> listener;
  if (options.compute.devices > 1 && place.size == 1) {
    check(options.compute.transport != comm::Transport::mpi,
          "--transport mpi: start the processes with mpirun or srun --mpi=pmix; those that --devices starts are "
          "connected by nccl or memory");
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
  if (started_by_first_) comm::LocalWorkers::rely_on_hub();
  if (options.compute.threads == 0) threads::set_count(std::max(1, threads::available() / comm_->local_size()));
  log::info("{} processes train together, connected by {}", place.size, comm_->name());
}

bool TrainingTeam::reports(const std::exception& error) const {
  if (comm_->leads()) return true;
  const bool from_elsewhere = dynamic_cast<const comm::PeerFailure*>(&error) != nullptr;
  const bool first_is_lost = std::string(error.what()).starts_with(comm_->describe(0) + " ");
  return from_elsewhere ? comm_->rank() == 1 && first_is_lost : !started_by_first_;
}

}  // namespace dragoman::run
