#include "comm/hub.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "base/join.h"
#include "base/quote.h"
#include "base/version.h"
#include "comm/communicator.h"
#include "comm/hello.h"

namespace dragoman::comm {
namespace {

constexpr const char* kWelcome = "welcome";
constexpr std::size_t kMostHelloBytes = 4096;
constexpr auto kAcceptSlice = std::chrono::milliseconds(100);
constexpr auto kShort = std::chrono::seconds(2);  // for a message to be read or completed

// Messages on the second connection.
constexpr const char* kBeat = "beat";
constexpr const char* kFarewell = "farewell";
constexpr std::string_view kFault = "fault ";

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? escaped(name.data()) : "unknown";
}

// Hosts may have the same name, and containers on one host share its kernel.
std::string this_machine() {
  std::string kernel;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), kernel);
  return this_host() + " " + kernel;
}

// Ends a wait at a deadline.
Connection::Idle until(Clock::time_point deadline, const char* what) {
  return [deadline, what] { check(Clock::now() < deadline, "{}", what); };
}

void append(std::string& to, const std::string& bytes) {
  const std::uint64_t length = bytes.size();
  to.append(reinterpret_cast<const char*>(&length), sizeof length);
  to += bytes;
}

std::vector<std::string> split_messages(const std::string& all, int count) {
  std::vector<std::string> messages;
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) {
    std::uint64_t length = 0;
    check(all.size() - at >= sizeof length, "a message of rank 0 is truncated");
    std::memcpy(&length, all.data() + at, sizeof length);
    at += sizeof length;
    check(all.size() - at >= length, "a message of rank 0 is truncated");
    messages.push_back(all.substr(at, length));
    at += length;
  }
  return messages;
}

}  // namespace

Hub::Hub(const Place& place, std::unique_ptr<Listener> listener, const HubTimes& times, const Connection::Idle& idle)
    : place_(place), peers_(place.rank == 0 ? static_cast<std::size_t>(place.size) : 1) {
  hosts_.assign(static_cast<std::size_t>(place.size), "unknown host");
  if (place.rank == 0)
    lead(*listener, times, idle);
  else
    follow(times);
  const auto now = Clock::now();
  for (Peer& peer : peers_) peer.heard = now;
  watcher_ = std::thread([this, times] { watch(times); });
  try {
    std::vector<std::string> hosts = exchange(this_host());
    {
      const std::lock_guard lock(mutex_);
      hosts_ = std::move(hosts);
    }
    machines_ = exchange(this_machine());
  } catch (const std::exception&) {
    stop_watching();
    throw;
  }
}

void Hub::stop_watching() {
  leaving_ = true;
  watcher_.join();
}

Hub::~Hub() {
  stop_watching();
  if (faulty_) return;
  tell_all(kFarewell);
  if (at_end_) at_end_();
}

void Hub::lead(const Listener& listener, const HubTimes& times, const Connection::Idle& idle) {
  const auto deadline = Clock::now() + times.join;
  hosts_[0] = this_host();
  while (!missing_ranks().empty()) {
    std::optional<Connection> connection = listener.accept(std::min(deadline, Clock::now() + kAcceptSlice));
    if (connection) {
      admit(std::move(*connection), times);
      continue;
    }
    if (idle) idle();
    if (Clock::now() >= deadline)
      refuse(
          fmt::format("{} did not join within {} s; see whether the others started, and with the same settings of "
                      "rank 0's address",
                      missing_ranks(), std::chrono::duration_cast<std::chrono::seconds>(times.join).count()));
  }
  for (std::size_t rank = 1; rank < peers_.size(); ++rank)
    for (const Connection* connection : {&peers_[rank].main, &peers_[rank].watch})
      check(connection->send(kWelcome, until(deadline, "a rank does not read its welcome")), "{} left while joining",
            describe(static_cast<int>(rank)));
}

void Hub::admit(Connection connection, const HubTimes& times) {
  Hello hello;
  try {
    const auto bytes = connection.receive(until(Clock::now() + times.hello, "no hello"), kMostHelloBytes);
    if (!bytes) return;
    hello = Hello::parse(*bytes);
  } catch (const Error&) {
    return;
  }
  if (hello.token != place_.token) return;
  const std::string name = fmt::format("rank {} on {}", hello.rank, hello.host);
  if (hello.version != DRAGOMAN_VERSION)
    refuse(fmt::format("{} is dragoman {}, but rank 0 on {} is {}; all must be the same", name, escaped(hello.version),
                       hosts_[0], DRAGOMAN_VERSION),
           &connection);
  if (hello.size != place_.size)
    refuse(fmt::format("{} says that there are {} ranks, but rank 0 on {} says {}", name, hello.size, hosts_[0],
                       place_.size),
           &connection);
  if (hello.rank < 1 || hello.rank >= place_.size)
    refuse(fmt::format("{}: expected a rank from 1 to {}", name, place_.size - 1), &connection);
  Peer& peer = peers_[static_cast<std::size_t>(hello.rank)];
  std::string& host = hosts_[static_cast<std::size_t>(hello.rank)];
  Connection& free = hello.watches ? peer.watch : peer.main;
  if (free.is_open())
    refuse(fmt::format("two processes are rank {}: on {} and on {}", hello.rank, host, hello.host), &connection);
  host = hello.host;
  free = std::move(connection);
}

void Hub::refuse(const std::string& words, const Connection* newcomer) const {
  const auto tell = [&](const Connection& connection) {
    try {
      connection.send(words, until(Clock::now() + kShort, "not read"));
    } catch (const Error&) {  // that rank has other problems
    }
  };
  for (const Peer& peer : peers_)
    if (peer.main.is_open()) tell(peer.main);
  if (newcomer != nullptr) tell(*newcomer);
  fail("{}", words);
}

std::string Hub::missing_ranks() const {
  std::vector<std::string> missing;
  for (std::size_t rank = 1; rank < peers_.size(); ++rank)
    if (!peers_[rank].main.is_open() || !peers_[rank].watch.is_open()) missing.push_back(std::to_string(rank));
  return missing.empty() ? "" : (missing.size() == 1 ? "rank " : "ranks ") + join(missing, ", ");
}

void Hub::follow(const HubTimes& times) {
  const auto deadline = Clock::now() + times.join;
  Peer& leader = peers_[0];
  Hello hello{.version = DRAGOMAN_VERSION,
              .host = this_host(),
              .token = place_.token,
              .rank = place_.rank,
              .size = place_.size,
              .watches = false};
  const auto idle = until(deadline + kShort, "rank 0 does not answer; some ranks may be missing");
  const auto read_answer = [&](const Connection& connection) {
    const auto answer = connection.receive(idle, kMostHelloBytes);
    if (!answer) throw PeerFailure("rank 0 ended before all ranks had joined");
    if (*answer != kWelcome) throw PeerFailure(escaped(*answer));
  };
  // An answer before the second connection is a refusal. If it comes while that is made, it is read below.
  const auto heed_refusal = [&] {
    if (leader.main.is_open() && leader.main.is_readable()) read_answer(leader.main);
  };
  for (Connection* connection : {&leader.main, &leader.watch}) {
    hello.watches = connection == &leader.watch;
    *connection = Connection::open(place_.address, place_.port, deadline, heed_refusal);
    connection->send(hello.serialize(), idle);
  }
  read_answer(leader.main);
  read_answer(leader.watch);
}

std::vector<std::string> Hub::exchange(const std::string& bytes) {
  const auto idle = [this] { check_peers(); };
  // The thread learns the reason of a closed connection; if it learns none, the rank has left early.
  const auto lost = [&](int rank) {
    for (int i = 0; i < 40; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(50))) check_peers();
    throw PeerFailure(describe(rank) + " has left the run");
  };
  if (place_.rank != 0) {
    if (!peers_[0].main.send(bytes, idle)) lost(0);
    const auto all = peers_[0].main.receive(idle);
    if (!all) lost(0);
    return split_messages(*all, place_.size);
  }
  std::vector<std::string> messages = {bytes};
  std::string all;
  append(all, bytes);
  for (int rank = 1; rank < place_.size; ++rank) {
    auto message = peers_[static_cast<std::size_t>(rank)].main.receive(idle);
    if (!message) lost(rank);
    append(all, *message);
    messages.push_back(std::move(*message));
  }
  for (int rank = 1; rank < place_.size; ++rank)
    if (!peers_[static_cast<std::size_t>(rank)].main.send(all, idle)) lost(rank);
  return messages;
}

void Hub::check_peers() const {
  if (!faulty_) return;
  const std::lock_guard lock(mutex_);
  throw PeerFailure(fault_);
}

std::string Hub::describe(int rank) const {
  const std::lock_guard lock(mutex_);
  return fmt::format("rank {} on {}", rank, hosts_[static_cast<std::size_t>(rank)]);
}

int Hub::local_size() const {
  return static_cast<int>(std::count(machines_.begin(), machines_.end(), machine(place_.rank)));
}

void Hub::report_failure(const std::string& words) {
  if (!faulty_) note_fault(fmt::format("{}: {}", describe(place_.rank), words));
}

void Hub::on_fault(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  on_fault_ = std::move(action);
}

void Hub::note_fault(const std::string& words) {
  {
    const std::lock_guard lock(mutex_);
    if (!fault_.empty()) return;
    fault_ = words;
    if (on_fault_) on_fault_();
  }
  faulty_ = true;
  tell_all(std::string(kFault) + words);
}

// A message that a peer does not read at once is dropped.
void Hub::tell_all(const std::string& message) {
  const std::lock_guard lock(sending_);
  for (const Peer& peer : peers_)
    if (peer.watch.is_open()) try {
        peer.watch.send(message, [] { fail("not read"); });
      } catch (const Error&) {
      }
}

void Hub::lose(int rank, const std::string& what) {
  peers_[static_cast<std::size_t>(rank)].has_left = true;
  note_fault(describe(rank) + " " + what);
}

void Hub::hear(int rank) {
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  std::optional<std::string> message;
  try {
    message = peer.watch.receive(until(Clock::now() + kShort, "stopped in the middle of a message"));
  } catch (const Error& error) {
    return lose(rank, error.what());
  }
  peer.heard = Clock::now();
  if (!message) return lose(rank, "ended unexpectedly");
  if (*message == kFarewell) peer.has_left = true;
  if (message->starts_with(kFault)) {
    peer.has_left = true;
    note_fault(escaped(message->substr(kFault.size())));
  }
}

void Hub::watch(const HubTimes& times) {
  auto next_beat = Clock::now();
  while (!leaving_ && !faulty_) {
    if (Clock::now() >= next_beat) {
      tell_all(kBeat);
      next_beat = Clock::now() + times.beat;
    }
    std::vector<pollfd> wanted;
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < peers_.size(); ++rank)
      if (peers_[rank].watch.is_open() && !peers_[rank].has_left) {
        wanted.push_back({peers_[rank].watch.descriptor(), POLLIN, 0});
        ranks.push_back(static_cast<int>(rank));
      }
    poll(wanted.data(), wanted.size(), static_cast<int>(std::min<std::int64_t>(times.beat.count(), 50)));
    for (std::size_t i = 0; i < wanted.size() && !faulty_; ++i) {
      if (wanted[i].revents != 0)
        hear(ranks[i]);
      else if (Clock::now() - peers_[static_cast<std::size_t>(ranks[i])].heard > times.silence)
        lose(ranks[i], fmt::format("has not answered for {} s: it hangs, or its machine cannot be reached",
                                   std::chrono::duration_cast<std::chrono::seconds>(times.silence).count()));
    }
  }
}

}  // namespace dragoman::comm
