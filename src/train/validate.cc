#include "train/validate.h"

namespace dragoman::train {
namespace {

// The batches of a rank are those whose number modulo the number of ranks is the rank's.
Tally merge(const std::vector<std::string>& messages, std::uint64_t batches) {
  std::vector<ByteReader> ranks;
  for (std::size_t rank = 0; rank < messages.size(); ++rank)
    ranks.emplace_back(messages[rank], fmt::format("the validation by rank {}", rank));
  Tally all;
  for (std::uint64_t batch = 0; batch < batches; ++batch) all += Tally::read(ranks[batch % ranks.size()]);
  for (const ByteReader& rank : ranks) rank.expect_end();
  return all;
}

}  // namespace

Scores validate(const Task& task, Workspace& workspace, data::Batcher& batches, std::size_t at_once,
                comm::Communicator& comm) {
  const std::uint64_t steps = batches.steps(0);
  ByteWriter own;
  data::Batch batch;
  for (auto step = static_cast<std::uint64_t>(comm.rank()); step < steps;
       step += static_cast<std::uint64_t>(comm.size())) {
    batches.seek(0, step);
    batches.next(batch);
    Tally tally;
    data::for_each_part(batch, at_once,
                        [&](const data::Batch& part) { tally += task.tally(workspace, batches, part); });
    tally.write(own);
  }
  return merge(comm.exchange(own.take()), steps).scores();
}

}  // namespace dragoman::train
