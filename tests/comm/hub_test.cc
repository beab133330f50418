#include "comm/hub.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/version.h"
#include "comm/communicator.h"
#include "comm/hello.h"
#include "tests/comm/ranks.h"

namespace dragoman::comm {
namespace {

constexpr std::chrono::milliseconds kSilence{800};

TEST(Hub, ExchangesTheBytesOfAllRanks) {
  Meeting meeting(4);
  const auto errors = errors_of_ranks(4, [&](int rank) {
    const auto hub = meeting.join(rank);
    for (int round = 0; round < 50; ++round) {
      const std::vector<std::string> all = hub->exchange(fmt::format("{} of {}", round, rank));
      ASSERT_EQ(all.size(), 4u);
      for (int r = 0; r < 4; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], fmt::format("{} of {}", round, r));
    }
    const std::string large(1 << 20, static_cast<char>('a' + rank));
    EXPECT_EQ(hub->exchange(large)[3], std::string(1 << 20, 'd'));
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

TEST(Hub, NamesTheRanksThatDoNotJoin) {
  Meeting meeting(4);
  HubTimes times = quick_times();
  times.join = std::chrono::milliseconds(1000);
  const auto errors = errors_of_ranks(2, [&](int rank) { meeting.join(meeting.place(2 * rank), times); });
  EXPECT_NE(errors[0].find("ranks 1, 3 did not join within 1 s"), std::string::npos) << errors[0];
  EXPECT_EQ(errors[1], errors[0]) << "those that joined learn the reason";
}

TEST(Hub, RefusesARankThatCountsOtherRanks) {
  Meeting meeting(3);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    Place place = meeting.place(rank);
    if (rank == 1) place.size = 2;
    meeting.join(place);
  });
  EXPECT_NE(errors[0].find("says that there are 2 ranks, but rank 0"), std::string::npos) << errors[0];
  EXPECT_EQ(errors[1], errors[0]);
}

TEST(Hub, NamesTheHostsOfTwoProcessesWithOneRank) {
  Meeting meeting(3);
  const auto errors = errors_of_ranks(3, [&](int rank) { meeting.join(rank == 0 ? 0 : 1); });
  EXPECT_NE(errors[0].find("two processes are rank 1: on "), std::string::npos) << errors[0];
  EXPECT_NE(errors[0].find(" and on "), std::string::npos) << errors[0];
}

TEST(Hub, AnotherProgramAtTheAddressOfRank0IsNoRank) {
  const Listener other(0, true);
  std::thread answers([&] {
    const auto deadline = Clock::now() + std::chrono::seconds(5);
    const auto first = other.accept(deadline), second = other.accept(deadline);
    const std::string words = "HTTP/1.1 400 Bad Request\r\n\r\n";
    if (first) (void)!write(first->descriptor(), words.data(), words.size());
    if (second) second->receive([&] { check(Clock::now() < deadline, "late"); });
  });
  Place place = Meeting(2).place(1);
  place.port = other.port();
  std::string words;
  try {
    Hub(place, nullptr, quick_times());
  } catch (const Error& error) {
    words = error.what();
  }
  answers.join();
  EXPECT_NE(words.find("another program may use the address and port of rank 0"), std::string::npos) << words;
}

TEST(Hub, StrangersAreIgnored) {
  Meeting meeting(2);
  const auto deadline = Clock::now() + std::chrono::seconds(5);
  const Connection silent = Connection::open("127.0.0.1", meeting.port(), deadline);
  const Connection wrong = Connection::open("127.0.0.1", meeting.port(), deadline);
  wrong.send("GET / HTTP/1.1", [] {});
  const Connection uninvited = Connection::open("127.0.0.1", meeting.port(), deadline);
  uninvited.send(
      Hello{.version = "?", .host = "h", .token = "guessed", .rank = 1, .size = 2, .watches = false}.serialize(),
      [] {});
  const auto errors = errors_of_ranks(2, [&](int rank) { meeting.join(rank)->exchange("x"); });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(Hub, AFailureIsReportedToAllByName) {
  Meeting meeting(3);
  const auto errors = errors_of_ranks(3, [&](int rank) {
    const auto hub = meeting.join(rank);
    if (rank == 1) return hub->report_failure("out of paper");
    hub->exchange("x");
  });
  for (const int rank : {0, 2}) {
    EXPECT_TRUE(errors[static_cast<std::size_t>(rank)].starts_with("rank 1 on "));
    EXPECT_TRUE(errors[static_cast<std::size_t>(rank)].ends_with(": out of paper"));
  }
}

// A rank that joins and then neither computes nor sends signs of life.
class SilentRank {
 public:
  SilentRank(const Place& place) {
    const auto deadline = Clock::now() + std::chrono::seconds(5);
    Hello hello{.version = DRAGOMAN_VERSION,
                .host = "elsewhere",
                .token = place.token,
                .rank = place.rank,
                .size = place.size,
                .watches = false};
    for (Connection* connection : {&main_, &watch_}) {
      *connection = Connection::open(place.address, place.port, deadline);
      hello.watches = connection == &watch_;
      connection->send(hello.serialize(), [] {});
    }
    for (const Connection* connection : {&main_, &watch_}) connection->receive([] {});
    for (int round = 0; round < 2; ++round) {
      main_.send("elsewhere", [] {});
      main_.receive([] {});
    }
  }

 private:
  Connection main_, watch_;
};

TEST(Hub, ARankThatDiesIsNamedToAll) {
  Meeting meeting(3);
  const auto errors = errors_of_ranks(3, [&](int rank) {
    if (rank == 1)
      SilentRank(meeting.place(1));
    else
      meeting.join(rank)->exchange("x");
  });
  for (const int rank : {0, 2})
    EXPECT_EQ(errors[static_cast<std::size_t>(rank)], "rank 1 on elsewhere ended unexpectedly");
}

TEST(Hub, ARankThatHangsIsNamedToAll) {
  Meeting meeting(3);
  const auto begin = Clock::now();
  const auto errors = errors_of_ranks(3, [&](int rank) {
    if (rank == 1) {
      const SilentRank silent(meeting.place(1));
      std::this_thread::sleep_for(3 * kSilence);
    } else {
      meeting.join(meeting.place(rank), quick_times(kSilence))->exchange("x");
    }
  });
  for (const int rank : {0, 2})
    EXPECT_TRUE(errors[static_cast<std::size_t>(rank)].starts_with("rank 1 on elsewhere has not answered for"))
        << errors[static_cast<std::size_t>(rank)];
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
}

TEST(Hub, ASlowRankIsNotLost) {
  Meeting meeting(2);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const auto hub = meeting.join(meeting.place(rank), quick_times(kSilence));
    if (rank == 1) std::this_thread::sleep_for(2 * kSilence);
    hub->exchange("x");
  });
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

TEST(Hub, AHelloSurvivesItsSerialisation) {
  const Hello hello{.version = "1.2", .host = "here", .token = "t", .rank = 3, .size = 9, .watches = true};
  const Hello read = Hello::parse(hello.serialize());
  EXPECT_EQ(read.serialize(), hello.serialize());
  for (const char* bytes : {"", "GET / HTTP/1.1\r\n\r\n", "dragoman rank 1\n", "dragoman rank 1\n1\nh\nt\n-1\n2\n0\n"})
    EXPECT_THROW(Hello::parse(bytes), Error) << bytes;
}

}  // namespace
}  // namespace dragoman::comm
