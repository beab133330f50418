#include "comm/place.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/errors.h"

namespace dragoman::comm {
namespace {

using Values = std::map<std::string, std::string>;

Place place_of(const Values& values) {
  return find_place([&](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  });
}

std::string refusal_of(const Values& values) {
  return support::message([&] { place_of(values); });
}

const Values kTorchrun = {
    {"RANK", "5"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};

TEST(Place, AProcessWithoutALauncherIsAlone) {
  EXPECT_EQ(place_of({}).size, 1);
  EXPECT_EQ(place_of({}).launcher, Launcher::none);
  EXPECT_EQ(place_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}).size, 1) << "a batch script without srun";
}

TEST(Place, ReadsTheVariablesOfTorchrun) {
  const Place place = place_of(kTorchrun);
  EXPECT_EQ(place.launcher, Launcher::torchrun);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.size, 8);
  EXPECT_EQ(place.address, "node1");
  EXPECT_EQ(place.port, 29500);
}

TEST(Place, TakesThePortBesideTheOneThatTorchrunListensOn) {
  Values values = kTorchrun;
  values["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  EXPECT_EQ(place_of(values).port, 29500);
  values["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_EQ(place_of(values).port, 29501);
  values["MASTER_PORT"] = "65535";
  EXPECT_EQ(place_of(values).port, 65534);
  values["DRAGOMAN_RUN_TOKEN"] = "secret";
  EXPECT_EQ(place_of(values).port, 65535) << "of a process that --devices started";
}

TEST(Place, ReadsTheVariablesOfMpirun) {
  const Place place =
      place_of({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "3"}});
  EXPECT_EQ(place.launcher, Launcher::mpi);
  EXPECT_EQ(place.rank, 2);
  EXPECT_EQ(place.size, 3);
}

TEST(Place, ReadsTheVariablesOfSrunAndDerivesAnAddress) {
  Values values = {{"SLURM_PROCID", "3"},  {"SLURM_LOCALID", "1"},   {"SLURM_NTASKS", "4"},
                   {"SLURM_STEP_ID", "0"}, {"SLURM_JOB_ID", "1234"}, {"SLURM_JOB_NODELIST", "gpu[07-08]"}};
  const Place place = place_of(values);
  EXPECT_EQ(place.launcher, Launcher::slurm);
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.address, "gpu07");
  EXPECT_GE(place.port, 20000);
  EXPECT_LT(place.port, 30000);
  values["SLURM_JOB_ID"] = "1235";
  EXPECT_NE(place_of(values).port, place.port) << "two jobs of one machine do not meet";
  values["SLURM_STEP_NODELIST"] = "gpu08";
  EXPECT_EQ(place_of(values).address, "gpu08") << "a step on a part of the nodes";
  values["MASTER_PORT"] = "4000";
  EXPECT_EQ(place_of(values).port, 4000);
}

// Variables of Slurm 22.05 with LaunchParameters=use_interactive_step, after salloc -n 4.
TEST(Place, AShellOfSallocIsAlone) {
  Values values = {{"SLURM_PROCID", "0"},         {"SLURM_LOCALID", "0"},
                   {"SLURM_NTASKS", "4"},         {"SLURM_STEP_ID", "4294967290"},
                   {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_JOB_NODELIST", "gpu[07-08]"}};
  EXPECT_EQ(place_of(values).size, 1);
  values["SLURM_STEP_NUM_TASKS"] = "2";
  EXPECT_EQ(place_of(values).size, 2) << "srun -n 2 in a job of 4 tasks";
}

TEST(Place, IncompleteSettingsAreNamedInOneSentence) {
  Values values = kTorchrun;
  values.erase("MASTER_PORT");
  values.erase("LOCAL_RANK");
  EXPECT_EQ(refusal_of(values),
            "RANK, WORLD_SIZE, MASTER_ADDR are set, as torchrun does, but LOCAL_RANK, MASTER_PORT are not; start the "
            "processes with it, set all of them, or unset those that are set to train with one process");
}

TEST(Place, RefusesNumbersThatMakeNoSense) {
  for (const auto& [name, value] :
       {std::pair{"RANK", "8"}, std::pair{"RANK", "-1"}, std::pair{"RANK", "two"}, std::pair{"WORLD_SIZE", "0"},
        std::pair{"MASTER_PORT", "70000"}, std::pair{"RANK", ""}, std::pair{"MASTER_ADDR", ""}}) {
    Values values = kTorchrun;
    values[name] = value;
    EXPECT_NE(refusal_of(values).find(name), std::string::npos) << name << "=" << value;
  }
}

TEST(Place, TheVariablesOfAPlaceGiveThatPlace) {
  const Place place{Launcher::torchrun, 2, 4, 2, "127.0.0.1", 1234, "secret"};
  Values values;
  for (const std::string& variable : variables(place)) {
    const std::size_t equals = variable.find('=');
    values[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  const Place read = place_of(values);
  EXPECT_EQ(read.rank, 2);
  EXPECT_EQ(read.size, 4);
  EXPECT_EQ(read.port, 1234);
  EXPECT_EQ(read.token, "secret");
}

TEST(Place, TheFirstHostOfANodeList) {
  EXPECT_EQ(first_host("node1"), "node1");
  EXPECT_EQ(first_host("node1,node2"), "node1");
  EXPECT_EQ(first_host("node[01-04,07]"), "node01");
  EXPECT_EQ(first_host("node[3,5]-ib,login"), "node3-ib");
  EXPECT_EQ(first_host("node[12]"), "node12");
  EXPECT_THROW(first_host("node[-3]"), Error);
  EXPECT_THROW(first_host("node[3"), Error);
}

}  // namespace
}  // namespace dragoman::comm
