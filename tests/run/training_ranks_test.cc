#include "run/training_ranks.h"

#include <gtest/gtest.h>

#include "tests/comm/ranks.h"
#include "tests/support/errors.h"

namespace dragoman::run {
namespace {

// What each of two ranks says.
template <class Check>
std::vector<std::string> complaints(const Check& check) {
  std::vector<std::string> words(2);
  comm::with_ranks(2, [&](comm::Communicator& comm) {
    words[static_cast<std::size_t>(comm.rank())] = support::message([&] { check(comm); });
  });
  return words;
}

TEST(TrainingRanks, NamesTheRankWithOtherData) {
  const auto words =
      complaints([](comm::Communicator& comm) { check_same_data("training data", comm.leads() ? 1 : 2, comm); });
  EXPECT_TRUE(words[0].starts_with("rank 1 on ")) << words[0];
  EXPECT_NE(words[0].find("has other training data than rank 0 on "), std::string::npos);
  EXPECT_EQ(words[1], words[0]);
}

TEST(TrainingRanks, TheFirstOneReportsADifferenceForAll) {
  comm::with_ranks(3, [](comm::Communicator& comm) {
    bool from_elsewhere = false;
    try {
      check_same_data("training data", comm.rank() == 2 ? 1 : 2, comm);
    } catch (const Error& error) {
      from_elsewhere = dynamic_cast<const comm::PeerFailure*>(&error) != nullptr;
    }
    EXPECT_EQ(from_elsewhere, !comm.leads());
  });
}

TEST(TrainingRanks, NamesTheSettingThatDiffers) {
  const auto words = complaints([](comm::Communicator& comm) {
    TrainingOptions options;
    options.train.optimiser.clip = comm.leads() ? 1 : 5;
    check_same_settings(options, comm);
  });
  EXPECT_NE(words[0].find("'--optimiser.clip: 5' instead of '--optimiser.clip: 1'"), std::string::npos) << words[0];
}

TEST(TrainingRanks, SettingsOfTheMachineMayDiffer) {
  comm::with_ranks(2, [](comm::Communicator& comm) {
    TrainingOptions options;
    options.compute.threads = 1 + comm.rank();
    options.compute.device = comm.leads() ? "cpu" : "auto";
    options.cache = comm.leads() ? "/tmp" : "";
    check_same_settings(options, comm);
    check_same_data("validation data", 5, comm);
  });
}

}  // namespace
}  // namespace dragoman::run
