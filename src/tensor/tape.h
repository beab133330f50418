#pragma once

#include <array>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <vector>

#include "tensor/arena.h"
#include "tensor/tensor.h"

namespace dragoman {

class Context;

// The backward functions of the recorded ops, in execution order. A node is a closure (its captures are the tensors
// that backward needs) and the gradients of its outputs; both live in arena memory, so recording allocates nothing.
class Tape {
 public:
  explicit Tape(Arena& host) : host_(host) {}

  // `backward(cx)` runs when the gradient of at least one of `outputs` has arrived.
  template <class F>
  void record(const char* op, std::initializer_list<Tensor> outputs, F backward) {
    static_assert(std::is_trivially_destructible_v<F>, "a node keeps tensors and numbers, nothing that owns memory");
    check(outputs.size() <= kMaxOutputs, "[{}] records more outputs than a node can hold", op);
    Node node;
    node.op = op;
    node.closure = new (host_.allocate(sizeof(F))) F(backward);
    node.run = [](void* closure, Context& cx) { (*static_cast<F*>(closure))(cx); };
    for (const Tensor& output : outputs)
      if (output.tracked()) node.outputs[node.count++] = {output.gradient(), output.gradient_bytes()};
    nodes_.push_back(node);
  }

  // Runs the nodes from last to first. Losses have already written the initial gradients.
  void backward(Context& cx);
  void clear() { nodes_.clear(); }
  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr std::size_t kMaxOutputs = 6;
  struct Output {
    Gradient* gradient;
    std::size_t bytes;
  };
  struct Node {
    const char* op = nullptr;
    void* closure = nullptr;
    void (*run)(void* closure, Context& cx) = nullptr;
    std::array<Output, kMaxOutputs> outputs{};
    std::size_t count = 0;
  };

  Arena& host_;
  std::vector<Node> nodes_;
};

}  // namespace dragoman
