#pragma once

#include <memory>

#include "comm/communicator.h"
#include "comm/hub.h"

namespace dragoman::comm {

// Ranks that a hub connects. The hub carries small messages and finds out which rank is lost; derived classes move
// tensors.
class HubCommunicator : public Communicator {
 public:
  int local_size() const override { return hub_->local_size(); }
  std::string describe(int rank) const override { return hub_->describe(rank); }
  std::vector<std::string> exchange(const std::string& bytes) override { return hub_->exchange(bytes); }
  void report_failure(const std::string& words) override { hub_->report_failure(words); }

 protected:
  HubCommunicator(const Place& place, std::unique_ptr<Hub> hub)
      : Communicator(place.rank, place.size), hub_(std::move(hub)) {}

  Hub& hub() const { return *hub_; }

 private:
  std::unique_ptr<Hub> hub_;
};

}  // namespace dragoman::comm
