#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/old_driver.h"
#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

TEST(Doctor, TellsWhatTheMachineOffersInWordsAndInJson) {
  const support::TempFolder folder;
  const Outcome words = run_program(folder, "doctor");
  EXPECT_EQ(words.status, 0) << words.err;
  for (const char* what : {"cpu", "kernels", "threads", "blas", "memory", "gpu", "cuda", "nccl", "mpi"})
    EXPECT_NE(words.out.find(std::string("\n") + what + " "), std::string::npos) << what << "\n" << words.out;
  const Outcome printed = run_program(folder, "doctor --json --threads 3");
  const nlohmann::json told = nlohmann::json::parse(printed.out);
  EXPECT_EQ(told["threads"], 3);
  EXPECT_GE(told["cpu"]["cores"].get<int>(), 1);
  EXPECT_FALSE(told["cpu"]["instruction_set"].get<std::string>().empty());
  EXPECT_GT(told["memory"]["total"].get<std::int64_t>(), told["memory"]["available"].get<std::int64_t>());
}

TEST(Doctor, TellsThatADriverIsTooOld) {
  const support::TempFolder folder;
  const WithOldDriver old;
  const Outcome words = run_program(folder, "doctor"), printed = run_program(folder, "doctor --json");
  EXPECT_NE(words.out.find("cpu: " + WithOldDriver::sentence()), std::string::npos) << words.said();
  EXPECT_FALSE(nlohmann::json::parse(printed.out)["cuda"]["usable"].get<bool>()) << printed.said();
}

TEST(Doctor, UnknownFlagsAndCommandsNameTheNearest) {
  const support::TempFolder folder;
  const Outcome flag = run_program(folder, "doctor --jsn");
  EXPECT_EQ(flag.status, 1);
  EXPECT_NE(flag.err.find("did you mean 'json'?"), std::string::npos) << flag.err;
  const Outcome command = run_program(folder, "docter");
  EXPECT_EQ(command.status, 1);
  EXPECT_NE(command.err.find("did you mean 'doctor'?"), std::string::npos) << command.err;
}

}  // namespace
}  // namespace dragoman::cli
