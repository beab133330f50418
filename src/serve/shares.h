#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace dragoman::serve {

// A bounded resource that clients share: bytes, tokens. When it is used up, the client that holds most gives way, so
// that no client can keep it from the others. Any thread may call the members.
class Shares {
  struct State;
  struct Amounts;
  using Client = std::pair<const std::string, Amounts>;

 public:
  enum class Rule {
    work,   // what the client that holds most took last gives way; that client itself gets no more
    cache,  // what the client that holds most has not used longest gives way
    store   // nothing gives way; a client may hold at most as much as it leaves free
  };

  // A part of the resource, which a client has until it is destroyed or gives way.
  class Holding {
   public:
    ~Holding();
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;

    // Returns false, and changes nothing, if it should grow and nobody gives way.
    bool resize(std::size_t amount);
    // It is used now.
    void touch();

   private:
    friend class Shares;
    friend struct State;
    Holding(std::shared_ptr<State> state, const std::string& client, std::function<void()> give_way);

    std::shared_ptr<State> state_;
    Client* client_ = nullptr;  // null once it has given way
    std::list<Holding*>::iterator place_{};
    std::size_t amount_ = 0;
    std::function<void()> give_way_;
  };

  Shares(std::size_t most, Rule rule);

  // Null if nobody gives way. A single holding may be of any size. Whoever makes this one give way calls `give_way`;
  // from then on it counts as nothing.
  std::unique_ptr<Holding> take(const std::string& client, std::size_t amount, std::function<void()> give_way = {});
  std::size_t total() const;
  std::size_t count() const;  // of holdings

 private:
  struct Amounts {
    std::size_t amount = 0;
    std::list<Holding*> holdings{};  // the last one used last
  };
  struct State {
    std::mutex mutex;
    std::size_t most = 0, total = 0, count = 0;
    Rule rule = Rule::work;
    std::map<std::string, Amounts> clients{};
    std::set<std::pair<std::size_t, Client*>> by_amount{};

    void change(Holding& holding, std::size_t amount);
    void leave(Holding& holding);
    bool make_room(const Holding& holding, std::list<std::function<void()>>& giving_way);
  };

  std::shared_ptr<State> state_;  // holdings may outlive this object
};

}  // namespace dragoman::serve
