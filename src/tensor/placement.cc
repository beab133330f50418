#include "tensor/placement.h"

#include "kernels/cuda/cuda.h"

namespace dragoman {
namespace {

PlacementOptions chosen{.device = "cpu"};

}  // namespace

void set_placement(const PlacementOptions& options) {
  check_device_name(options.device);
  chosen = options;
}

Placement placement() {
  const Device& device = find_device(chosen.device);
  const Precision precision = chosen.precision;
  if (device.on_host()) {
    check(precision == Precision::automatic || precision == Precision::f32,
          "precision {} is for GPUs; the host computes in f32", name_of(precision));
    return {device, DType::f32};
  }
  kernels::cuda::set_tf32(precision == Precision::tf32);
  const bool single = precision == Precision::f32 || precision == Precision::tf32;
  return {device, single ? DType::f32 : DType::bf16};
}

}  // namespace dragoman
