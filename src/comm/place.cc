#include "comm/place.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/join.h"
#include "base/quote.h"

namespace dragoman::comm {
namespace {

constexpr const char* kToken = "DRAGOMAN_RUN_TOKEN";
constexpr int kMostRanks = 4096, kMostPort = 65535;

// The variables that one launcher sets.
class Variables {
 public:
  Variables(const Environment& environment, const char* launcher) : environment_(environment), launcher_(launcher) {}

  // Throws unless all of these are set.
  void require(std::initializer_list<const char*> names) const {
    std::vector<std::string> present, missing;
    for (const char* name : names) (environment_(name) != nullptr ? present : missing).emplace_back(name);
    check(missing.empty(),
          "{} {} set, as {} does, but {} {} not; start the processes with it, set all of them, or unset those that are "
          "set to train with one process",
          dragoman::join(present, ", "), present.size() == 1 ? "is" : "are", launcher_, dragoman::join(missing, ", "),
          missing.size() == 1 ? "is" : "are");
  }
  std::string text(const char* name) const {
    const std::string value = environment_(name);
    check(!value.empty(), "{} is empty", name);
    return value;
  }
  int number(const char* name, int least, int most) const {
    const std::string value = environment_(name);
    int number = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
    check(status == std::errc() && end == value.data() + value.size() && number >= least && number <= most,
          "{}: expected a number from {} to {} but got '{}'", name, least, most, excerpt(value));
    return number;
  }
  // Rank, size and rank on this machine.
  Place place(Launcher launcher, const char* rank, const char* size, const char* local_rank) const {
    Place place;
    place.launcher = launcher;
    place.size = number(size, 1, kMostRanks);
    place.rank = number(rank, 0, place.size - 1);
    place.local_rank = number(local_rank, 0, place.size - 1);
    return place;
  }

 private:
  const Environment& environment_;
  const char* launcher_;
};

// Whether torchrun itself listens on MASTER_PORT. Workers that rank 0 has started inherit the variable without meaning.
bool is_port_taken(const Environment& environment) {
  const char* const listens = environment("TORCHELASTIC_USE_AGENT_STORE");
  return environment(kToken) == nullptr && listens != nullptr && std::string(listens) == "True";
}

Place torchrun_place(const Environment& environment) {
  const Variables variables(environment, "torchrun");
  variables.require({"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"});
  Place place = variables.place(Launcher::torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK");
  place.address = variables.text("MASTER_ADDR");
  place.port = variables.number("MASTER_PORT", 1, kMostPort);
  if (is_port_taken(environment)) place.port += place.port < kMostPort ? 1 : -1;
  if (environment(kToken) != nullptr) place.token = environment(kToken);
  return place;
}

Place mpi_place(const Environment& environment) {
  const Variables variables(environment, "mpirun");
  variables.require({"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"});
  return variables.place(Launcher::mpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK");
}

// A port above the registered ones and below the ephemeral ones of Linux, different for jobs that run side by side.
int port_of_job(const Environment& environment) {
  const char* const job = environment("SLURM_JOB_ID");
  const char* const step = environment("SLURM_STEP_ID");
  return 20000 +
         static_cast<int>((std::strtoul(job ? job : "0", nullptr, 10) * 31 + std::strtoul(step, nullptr, 10)) % 10000);
}

Place slurm_place(const Environment& environment) {
  const Variables variables(environment, "srun");
  variables.require({"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_JOB_NODELIST"});
  // In the shell of salloc, and in a batch script that was submitted from one, SLURM_NTASKS is that of the job.
  const char* const size = environment("SLURM_STEP_NUM_TASKS") != nullptr ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  Place place = variables.place(Launcher::slurm, "SLURM_PROCID", size, "SLURM_LOCALID");
  const bool chosen = environment("MASTER_ADDR") != nullptr;
  const char* const list = environment("SLURM_STEP_NODELIST") != nullptr ? "SLURM_STEP_NODELIST" : "SLURM_JOB_NODELIST";
  place.address = chosen ? variables.text("MASTER_ADDR") : first_host(variables.text(list));
  place.port =
      environment("MASTER_PORT") != nullptr ? variables.number("MASTER_PORT", 1, kMostPort) : port_of_job(environment);
  return place;
}

}  // namespace

Place find_place(const Environment& environment) {
  Place place;
  if (environment("RANK") != nullptr || environment("WORLD_SIZE") != nullptr)
    place = torchrun_place(environment);
  else if (environment("OMPI_COMM_WORLD_RANK") != nullptr || environment("OMPI_COMM_WORLD_SIZE") != nullptr)
    place = mpi_place(environment);
  else if (environment("SLURM_STEP_ID") != nullptr)  // a batch script has the others, too, without srun
    place = slurm_place(environment);
  return place.size == 1 ? Place{} : place;
}

Place find_place() {
  return find_place([](const char* name) -> const char* { return std::getenv(name); });
}

std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find_first_of("[,");
  if (bracket == std::string::npos || list[bracket] == ',') return list.substr(0, bracket);
  const std::size_t end = list.find_first_of("-,]", bracket);
  const std::size_t close = list.find(']', bracket);
  check(end != std::string::npos && close != std::string::npos && end > bracket + 1,
        "expected a list of hosts from Slurm, such as node[01-04], but got '{}'", excerpt(list));
  const std::size_t after = list.find(',', close);
  return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1) +
         list.substr(close + 1, after == std::string::npos ? after : after - close - 1);
}

std::vector<std::string> variables(const Place& place) {
  return {fmt::format("RANK={}", place.rank),        fmt::format("LOCAL_RANK={}", place.local_rank),
          fmt::format("WORLD_SIZE={}", place.size),  fmt::format("MASTER_ADDR={}", place.address),
          fmt::format("MASTER_PORT={}", place.port), fmt::format("{}={}", kToken, place.token)};
}

}  // namespace dragoman::comm
