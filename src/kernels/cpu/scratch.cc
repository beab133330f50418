#include "kernels/cpu/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace dragoman::kernels::cpu_filling {
namespace {

constexpr Size kLine = 64;  // bytes of a cache line

struct Buffer {
  struct Free {
    void operator()(float* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<float, Free> memory;
  Size count = 0;

  float* at_least(Size needed) {
    if (needed > count) {
      memory.reset();
      count = 0;
      const Size bytes = (std::max<Size>(needed + needed / 4, 1024) * Size{sizeof(float)} + kLine - 1) / kLine * kLine;
      memory.reset(static_cast<float*>(std::aligned_alloc(kLine, static_cast<std::size_t>(bytes))));
      if (!memory) throw std::bad_alloc();
      count = bytes / Size{sizeof(float)};
    }
    return memory.get();
  }
};

}  // namespace

float* scratch(Scratch which, Size count) {
  thread_local Buffer shared, piece;
  return (which == Scratch::shared ? shared : piece).at_least(count);
}

}  // namespace dragoman::kernels::cpu_filling
