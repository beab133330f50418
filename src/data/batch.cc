#include "data/batch.h"

#include <algorithm>

namespace dragoman::data {
namespace {

template <class T>
void append(std::vector<T>& to, std::span<const T> values) {
  to.insert(to.end(), values.begin(), values.end());
}

}  // namespace

std::size_t Batch::longest() const {
  std::size_t most = 0;
  for (std::size_t s = 0; s < sentences.size(); ++s) most = std::max(most, source.row(s).size() + target.row(s).size());
  return most;
}

std::vector<Batch> parts_of(const Batch& batch, std::size_t most) {
  if (most == 0 || batch.tokens() <= most) return {batch};
  std::vector<Batch> parts;
  for (std::size_t s = 0; s < batch.sentences.size(); ++s) {
    const std::span<const std::int32_t> source = batch.source.row(s), target = batch.target.row(s);
    if (parts.empty() || parts.back().tokens() + source.size() + target.size() > most) {
      parts.emplace_back();
      parts.back().epoch = batch.epoch;
      parts.back().step = batch.step;
      parts.back().steps = batch.steps;
    }
    Batch& part = parts.back();
    append(part.source.tokens, source);
    append(part.target.tokens, target);
    append(part.labels,
           std::span(batch.labels).subspan(static_cast<std::size_t>(batch.target.offsets[s]), target.size()));
    part.source.end_row();
    part.target.end_row();
    part.sentences.push_back(batch.sentences[s]);
  }
  return parts;
}

}  // namespace dragoman::data
