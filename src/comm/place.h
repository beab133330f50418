#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dragoman::comm {

// What started the processes of a run.
enum class Launcher { none, torchrun, mpi, slurm };

// The place of this process among those that train together.
struct Place {
  Launcher launcher = Launcher::none;
  int rank = 0, size = 1, local_rank = 0;
  // Where rank 0 listens; empty with MPI, which passes it on itself.
  std::string address = "";
  int port = 0;
  std::string token = "";  // a secret of the run; only processes that know it may join
};

// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Reads the variables of torchrun (RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), Open MPI's mpirun
// (OMPI_COMM_WORLD_...) and srun (SLURM_PROCID, SLURM_LOCALID, SLURM_NTASKS or SLURM_STEP_NUM_TASKS,
// SLURM_JOB_NODELIST or SLURM_STEP_NODELIST), in this order. A process that none of them started is alone. Throws Error
// if variables are missing or contradictory.
Place find_place(const Environment& environment);
// The same for the environment of this process.
Place find_place();

// The first host of a list of Slurm: node07 of "node[07-12,20],login1".
std::string first_host(const std::string& list);

// The variables of `place` for a process with another rank on this machine, as torchrun sets them: "RANK=1", ...
std::vector<std::string> variables(const Place& place);

}  // namespace dragoman::comm
