#include "tensor/placement.h"

#include "kernels/cuda/cuda.h"

namespace dragoman {

Placement find_placement(const PlacementOptions& options) {
  check_device_name(options.device);
  const Device& device = find_device(options.device);
  const Precision precision = options.precision;
  if (device.on_host()) {
    check(precision == Precision::automatic || precision == Precision::f32,
          "precision {} is for GPUs; the host computes in f32", name_of(precision));
    return {device, DType::f32};
  }
  const bool tf32 = precision == Precision::tf32;
  return {device, precision == Precision::f32 || tf32 ? DType::f32 : DType::bf16, tf32};
}

PrecisionScope::PrecisionScope(const Placement& where) : before_(kernels::cuda::set_tf32(where.tf32)) {}
PrecisionScope::~PrecisionScope() { kernels::cuda::set_tf32(before_); }

}  // namespace dragoman
