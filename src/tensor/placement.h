#pragma once

#include "base/options.h"
#include "tensor/device.h"
#include "tensor/dtype.h"

namespace dragoman {

// What a GPU computes in: f32, f32 whose products are TF32 (ten bits of fraction), or bf16 with weights and sums in
// f32. `automatic` is bf16 on a GPU and f32 on the host.
enum class Precision { automatic, f32, tf32, bf16 };

// Where models live and what they compute in.
struct Placement {
  const Device& device;
  DType type;
};

// What the command line asks for. A GPU is looked for when the first model needs to know.
struct PlacementOptions {
  std::string device = "auto";
  Precision precision = Precision::automatic;

  template <class V>
  void visit(V& v) {
    v("device", device, "where to compute: cpu, cuda, cuda:N, or auto, which is a GPU where there is one");
    v("precision", precision, "what a GPU computes in; automatic is bf16");
  }
};

// For the whole program; the host in f32 unless set.
void set_placement(const PlacementOptions& options);
Placement placement();

template <>
struct EnumNames<Precision> {
  static constexpr std::pair<Precision, const char*> list[] = {{Precision::automatic, "automatic"},
                                                               {Precision::f32, "f32"},
                                                               {Precision::tf32, "tf32"},
                                                               {Precision::bf16, "bf16"}};
};

}  // namespace dragoman
