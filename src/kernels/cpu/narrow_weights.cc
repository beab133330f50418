#include "kernels/cpu/narrow_weights.h"

#include <algorithm>
#include <cstring>
#include <vector>

#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/split.h"

namespace dragoman::kernels::cpu_filling {
namespace {

#if defined(__x86_64__)
// Features of leaf 7 of CPUID that compilers do not all know by name.
struct CpuidLeaf7 {
  bool amx_tiles = false, amx_int8 = false, amx_bf16 = false, avx_vnni = false;

  CpuidLeaf7() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
    amx_bf16 = d >> 22 & 1, amx_tiles = d >> 24 & 1, amx_int8 = d >> 25 & 1;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) avx_vnni = a >> 4 & 1;
  }
};

// Asks Linux for the registers of AMX, which a process gets only on request.
bool may_use_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}
#endif

std::vector<const NarrowKernel*> supported(WeightFormat format) {
  const bool int8 = format == WeightFormat::int8;
  std::vector<const NarrowKernel*> list;
#if defined(__aarch64__)
  // Bits of the kernel's interface, named here because older headers lack them.
  constexpr unsigned long kDotProduct = 1UL << 20, kInt8Matrix2 = 1UL << 13, kBf16Matrix2 = 1UL << 14;
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  if (int8 && second & kInt8Matrix2) list.push_back(&kInt8Matrix);
  if (int8 && first & kDotProduct) list.push_back(&kInt8Dot);
  if (!int8 && second & kBf16Matrix2) list.push_back(&kBf16Matrix);
#elif defined(__x86_64__)
  const CpuidLeaf7 cpu;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f");
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  // The AMX kernel for int8 leaves few rows to VNNI.
  if (avx512 && cpu.amx_tiles && (int8 ? cpu.amx_int8 && vnni : cpu.amx_bf16) && may_use_amx())
    list.push_back(int8 ? &kInt8Amx : &kBf16Amx);
  if (int8 && vnni) list.push_back(&kInt8Avx512);
  if (avx512 && !int8 && __builtin_cpu_supports("avx512bf16")) list.push_back(&kBf16Avx512);
  if (avx2 && int8 && cpu.avx_vnni) list.push_back(&kInt8AvxVnni);
  if (avx2) list.push_back(int8 ? &kInt8Avx2 : &kBf16Avx2);
#endif
  list.push_back(int8 ? &kInt8Portable : &kBf16Portable);
  return list;
}

struct Choice {
  explicit Choice(WeightFormat format) : all(supported(format)), used(all.front()) {}
  std::vector<const NarrowKernel*> all;
  const NarrowKernel* used;
};

Choice& choice(WeightFormat format) {
  static Choice int8(WeightFormat::int8), bf16(WeightFormat::bf16);
  return format == WeightFormat::int8 ? int8 : bf16;
}

constexpr Size element_size(WeightFormat format) { return format == WeightFormat::int8 ? 1 : 2; }

}  // namespace

std::span<const NarrowKernel* const> narrow_kernels(WeightFormat format) { return choice(format).all; }
const NarrowKernel& narrow_kernel(WeightFormat format) { return *choice(format).used; }
void use_narrow_kernel(WeightFormat format, const NarrowKernel& kernel) { choice(format).used = &kernel; }

SplitKernel split_kernel() {
#if defined(__x86_64__)
  if (&narrow_kernel(WeightFormat::bf16) == &kBf16Amx) return multiply_split_amx;
#endif
  return nullptr;
}

NarrowWeights::NarrowWeights(WeightFormat format, Size in, Size out, const void* packed) {
  const NarrowKernel& kernel = narrow_kernel(format);
  group_ = kernel.group;
  groups = (in * element_size(format) + kernel.unit - 1) / kernel.unit * kernel.unit / kernel.group;
  panels = (out + kNarrowCols - 1) / kNarrowCols;
  scale_bytes_ = format == WeightFormat::int8 ? panels * kNarrowCols * Size{sizeof(float)} : 0;
  if (packed == nullptr) return;
  scales = static_cast<const float*>(packed);
  data = static_cast<const char*>(packed) + scale_bytes_;
}

namespace {

// One column of a weight in the narrow format, padded with zeros.
class NarrowColumn {
 public:
  NarrowColumn(const PackWeight<float>& from, Size bytes)
      : from_(from),
        gathered_(static_cast<std::size_t>(from.transposed ? 0 : from.in)),
        bytes_(static_cast<std::size_t>(bytes)) {}

  // Reads a column; returns its scale.
  float read(Size col) {
    if (col >= from_.out) {
      std::fill(bytes_.begin(), bytes_.end(), '\0');
      return 0;
    }
    if (from_.numbers) {
      std::memcpy(bytes_.data(), from_.numbers + col * from_.in, static_cast<std::size_t>(from_.in));
      return from_.scales[col];
    }
    if (from_.halves) {
      std::memcpy(bytes_.data(), from_.halves + col * from_.in, static_cast<std::size_t>(from_.in) * sizeof(bf16));
      return 1;
    }
    if (from_.transposed) return round(from_.weight + col * from_.in);
    for (Size i = 0; i < from_.in; ++i) gathered_[i] = from_.weight[i * from_.out + col];
    return round(gathered_.data());
  }
  const char* bytes() const { return bytes_.data(); }

 private:
  float round(const float* values) {
    return round_line(from_.format, from_.in, values, std::ssize(bytes_), bytes_.data());
  }

  const PackWeight<float>& from_;
  std::vector<float> gathered_;
  std::vector<char> bytes_;
};

}  // namespace

void pack_narrow_weight(const PackWeight<float>& a) {
  const NarrowWeights weights(a.format, a.in, a.out, a.packed);
  if (a.bytes) *a.bytes = weights.bytes();
  if (!a.packed) return;
  const Size group = narrow_kernel(a.format).group;
  threads::split(weights.panels, row_grain(a.in * kNarrowCols), [&](Size begin, Size end) {
    NarrowColumn column(a, weights.groups * group);
    for (Size col = begin * kNarrowCols; col < end * kNarrowCols; ++col) {
      const float scale = column.read(col);
      if (a.format == WeightFormat::int8) const_cast<float*>(weights.scales)[col] = scale;
      char* to =
          const_cast<char*>(weights.data) + col / kNarrowCols * weights.panel_bytes() + col % kNarrowCols * group;
      for (Size g = 0; g < weights.groups; ++g, to += group * kNarrowCols)
        std::memcpy(to, column.bytes() + g * group, static_cast<std::size_t>(group));
    }
  });
}

void unpack_narrow_columns(const UnpackColumns<float>& a) {
  const NarrowWeights weights(a.format, a.in, a.out, a.packed);
  const Size group = narrow_kernel(a.format).group;
  threads::split(a.count, row_grain(a.in), [&](Size begin, Size end) {
    std::vector<char> bytes(static_cast<std::size_t>(weights.groups * group));
    for (Size c = begin; c < end; ++c) {
      const Size col = a.columns[c];
      const char* from = weights.data + col / kNarrowCols * weights.panel_bytes() + col % kNarrowCols * group;
      for (Size g = 0; g < weights.groups; ++g, from += group * kNarrowCols)
        std::memcpy(bytes.data() + g * group, from, static_cast<std::size_t>(group));
      float* y = a.y + c * a.in;
      if (a.format == WeightFormat::int8) {
        const auto* numbers = reinterpret_cast<const std::int8_t*>(bytes.data());
        for (Size i = 0; i < a.in; ++i) y[i] = static_cast<float>(numbers[i]) * weights.scales[col];
      } else {
        const auto* halves = reinterpret_cast<const bf16*>(bytes.data());
        for (Size i = 0; i < a.in; ++i) y[i] = halves[i].value();
      }
    }
  });
}

namespace {

// One panel of picked columns: `cols` groups of kGroup bytes are copied at a time, one from each source panel.
template <int kGroup>
void pick_panel(const PickColumns<float>& a, const NarrowWeights& from, Size first, char* to) {
  const Size cols = std::min<Size>(kNarrowCols, a.count - first);
  const char* sources[kNarrowCols] = {};
  for (Size c = 0; c < cols; ++c) {
    const Size column = a.columns[first + c];
    sources[c] = from.data + column / kNarrowCols * from.panel_bytes() + column % kNarrowCols * kGroup;
  }
  for (Size g = 0; g < from.groups; ++g, to += kGroup * kNarrowCols) {
    for (Size c = 0; c < cols; ++c) std::memcpy(to + c * kGroup, sources[c] + g * kGroup * kNarrowCols, kGroup);
    std::memset(to + cols * kGroup, 0, static_cast<std::size_t>((kNarrowCols - cols) * kGroup));
  }
}

}  // namespace

void pick_narrow_columns(const PickColumns<float>& a) {
  const NarrowWeights from(a.format, a.in, a.out, a.packed), to(a.format, a.in, a.count, a.picked);
  if (a.format == WeightFormat::int8) {
    auto* scales = const_cast<float*>(to.scales);
    for (Size c = 0; c < a.count; ++c) scales[c] = from.scales[a.columns[c]];
    std::fill(scales + a.count, scales + to.panels * kNarrowCols, 0.0f);
  }
  const bool wide = narrow_kernel(a.format).group == 8;
  threads::split(to.panels, row_grain(a.in * kNarrowCols), [&](Size begin, Size end) {
    for (Size panel = begin; panel < end; ++panel) {
      char* room = const_cast<char*>(to.data) + panel * to.panel_bytes();
      wide ? pick_panel<8>(a, from, panel * kNarrowCols, room) : pick_panel<4>(a, from, panel * kNarrowCols, room);
    }
  });
}

}  // namespace dragoman::kernels::cpu_filling
