#include "serve/shares.h"

namespace dragoman::serve {

Shares::Shares(std::size_t most, Rule rule) : state_(std::make_shared<State>()) {
  state_->most = most;
  state_->rule = rule;
}

std::size_t Shares::total() const {
  const std::lock_guard lock(state_->mutex);
  return state_->total;
}

std::size_t Shares::count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->count;
}

std::unique_ptr<Shares::Holding> Shares::take(const std::string& client, std::size_t amount,
                                              std::function<void()> give_way) {
  std::unique_ptr<Holding> holding(new Holding(state_, client, std::move(give_way)));
  return holding->resize(amount) ? std::move(holding) : nullptr;
}

Shares::Holding::Holding(std::shared_ptr<State> state, const std::string& client, std::function<void()> give_way)
    : state_(std::move(state)), give_way_(std::move(give_way)) {
  const std::lock_guard lock(state_->mutex);
  const auto [entry, is_new] = state_->clients.try_emplace(client);
  client_ = &*entry;
  if (is_new) state_->by_amount.emplace(0, client_);
  place_ = client_->second.holdings.insert(client_->second.holdings.end(), this);
  ++state_->count;
}

Shares::Holding::~Holding() {
  const std::lock_guard lock(state_->mutex);
  if (client_ != nullptr) state_->leave(*this);
}

bool Shares::Holding::resize(std::size_t amount) {
  std::list<std::function<void()>> giving_way;
  bool has_room = true;
  {
    const std::lock_guard lock(state_->mutex);
    if (client_ == nullptr) return true;  // it has been told already
    const std::size_t before = amount_;
    state_->change(*this, amount);
    has_room = amount <= before || state_->make_room(*this, giving_way);
    if (!has_room) state_->change(*this, before);
  }
  for (const auto& give_way : giving_way)
    if (give_way) give_way();
  return has_room;
}

void Shares::Holding::touch() {
  const std::lock_guard lock(state_->mutex);
  if (client_ == nullptr) return;
  auto& all = client_->second.holdings;
  all.splice(all.end(), all, place_);
}

void Shares::State::change(Holding& holding, std::size_t amount) {
  std::size_t& of_client = holding.client_->second.amount;
  by_amount.erase({of_client, holding.client_});
  of_client += amount - holding.amount_;  // modulo 2^64
  total += amount - holding.amount_;
  holding.amount_ = amount;
  by_amount.emplace(of_client, holding.client_);
}

void Shares::State::leave(Holding& holding) {
  change(holding, 0);
  Client* const client = std::exchange(holding.client_, nullptr);
  client->second.holdings.erase(holding.place_);
  --count;
  if (!client->second.holdings.empty()) return;
  by_amount.erase({0, client});
  clients.erase(client->first);
}

bool Shares::State::make_room(const Holding& holding, std::list<std::function<void()>>& giving_way) {
  const std::size_t& own = holding.client_->second.amount;
  if (rule == Rule::store) return total <= most && own <= most - total;
  while (total > most && count > 1) {
    Client& largest = *by_amount.rbegin()->second;
    Holding& victim = *(rule == Rule::work ? largest.second.holdings.back() : largest.second.holdings.front());
    if (&victim == &holding || (rule == Rule::work && own >= largest.second.amount)) return false;
    giving_way.push_back(std::move(victim.give_way_));
    leave(victim);
  }
  return true;
}

}  // namespace dragoman::serve
