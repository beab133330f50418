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

// Follows the gradients of parameters through a forward and a backward pass.
class GradientWatch {
 public:
  virtual ~GradientWatch() = default;

  // An op takes the parameter as its input. If it records a backward function, this is node `node` of the tape or a
  // later one.
  virtual void on_use(const Tensor& parameter, std::size_t node) = 0;
  // A contribution to the gradient of the parameter is about to be added.
  virtual void on_contribution(const Tensor& parameter) = 0;
  // Backward has run node `node` and all later ones.
  virtual void on_backward(std::size_t node) = 0;
};

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
  // Null: nobody watches.
  void set_watch(GradientWatch* watch) { watch_ = watch; }
  // Called by ops: tell the watch of a parameter among their inputs, and of a contribution to its gradient.
  void note_use(const Tensor& input) const {
    if (is_watched(input)) watch_->on_use(input, nodes_.size());
  }
  void note_contribution(const Tensor& to) const {
    if (is_watched(to)) watch_->on_contribution(to);
  }
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

  bool is_watched(const Tensor& tensor) const {
    return watch_ != nullptr && tensor.tracked() && tensor.gradient()->persistent;
  }

  Arena& host_;
  std::vector<Node> nodes_;
  GradientWatch* watch_ = nullptr;
};

}  // namespace dragoman
