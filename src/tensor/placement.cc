#include "tensor/placement.h"

#include "kernels/cpu/bf16_product.h"
#include "kernels/cuda/cuda.h"

namespace dragoman {

Placement find_placement(const PlacementOptions& options, Use use) {
  check_device_name(options.device);
  const Device& device = find_device(options.device);
  const Precision precision = options.precision;
  if (device.on_host()) {
    check(precision != Precision::tf32, "precision tf32 is for GPUs; on the CPU use {}",
          use == Use::training ? "f32 or bf16" : "f32, bf16 or int8");
    const bool narrow = precision == Precision::bf16 || precision == Precision::int8;
    check(precision != Precision::int8 || use == Use::inference,
          "precision int8 is for inference; training on the CPU needs f32 or bf16");
    if (narrow && use == Use::training) return {.device = device, .type = DType::f32, .bf16_products = true};
    if (!narrow) return {.device = device, .type = DType::f32, .as_stored = precision == Precision::automatic};
    return {.device = device,
            .type = DType::f32,
            .weights = precision == Precision::int8 ? WeightFormat::int8 : WeightFormat::bf16};
  }
  check(precision != Precision::int8, "precision int8 is for the CPU; on a GPU use f32, tf32 or bf16");
  const bool tf32 = precision == Precision::tf32;
  return {device, precision == Precision::f32 || tf32 ? DType::f32 : DType::bf16, tf32};
}

PrecisionScope::PrecisionScope(const Placement& where)
    : tf32_before_(kernels::cuda::set_tf32(where.tf32)),
      bf16_before_(kernels::cpu_filling::set_bf16_products(where.bf16_products)) {}
PrecisionScope::~PrecisionScope() {
  kernels::cuda::set_tf32(tf32_before_);
  kernels::cpu_filling::set_bf16_products(bf16_before_);
}

}  // namespace dragoman
