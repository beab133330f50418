#include "text/piece_ids.h"

namespace dragoman::text {

std::int32_t PieceIds::find(std::string_view piece) const {
  const auto found = table().find(std::string(piece));
  return found == table().end() ? tokenizer_.special().unknown : found->second;
}

bool PieceIds::contains(std::string_view piece) const { return table().contains(std::string(piece)); }

// Ids that exist only for rounding have an empty piece. If two ids have the same one, the first counts.
const std::unordered_map<std::string, std::int32_t>& PieceIds::table() const {
  std::call_once(made_, [this] {
    for (std::int32_t id = 0; id < tokenizer_.size(); ++id)
      if (std::string piece = tokenizer_.piece(id); !piece.empty()) table_.try_emplace(std::move(piece), id);
  });
  return table_;
}

std::vector<std::int32_t> never_written(const Tokenizer& target, int ids) {
  std::vector<std::int32_t> never = target.never_written();
  for (std::int32_t id = target.size(); id < ids; ++id) never.push_back(id);
  return never;
}

}  // namespace dragoman::text
