#include "train/team.h"

#include <bit>

#include "base/counted.h"

namespace dragoman::train {

Team Team::of(const TrainOptions& options, comm::Communicator& comm) {
  Team team{.comm = comm, .parts = comm.size(), .wire = options.wire, .ordered = options.parts > 0};
  if (options.parts == 0) return team;
  check(std::has_single_bit(static_cast<unsigned>(options.parts)),
        "--virtual {}: expected a power of two, because the parts of an update are added in pairs", options.parts);
  check(options.parts % comm.size() == 0,
        "--virtual {}: {} cannot divide the parts evenly; start 1, 2, 4 and so on, up to {}", options.parts,
        counted(comm.size(), "process", "processes"), options.parts);
  team.parts = options.parts;
  return team;
}

}  // namespace dragoman::train
