#include "tensor/tape.h"

#include "tensor/context.h"

namespace dragoman {

void Tape::backward(Context& cx) {
  for (; !nodes_.empty(); nodes_.pop_back()) {
    const Node& node = nodes_.back();
    bool reached = false;
    for (std::size_t i = 0; i < node.count; ++i) reached |= node.outputs[i].gradient->written;
    if (reached) node.run(node.closure, cx);
    for (std::size_t i = 0; i < node.count; ++i) {
      Gradient& gradient = *node.outputs[i].gradient;
      if (gradient.data && !gradient.persistent) {
        cx.arena().release(gradient.data, node.outputs[i].bytes);
        gradient = {};
      }
    }
    if (watch_ != nullptr) watch_->on_backward(nodes_.size() - 1);
  }
}

}  // namespace dragoman
