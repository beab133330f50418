#pragma once

#include "base/options.h"
#include "dragoman/precision.h"
#include "tensor/device.h"
#include "tensor/dtype.h"

namespace dragoman {

// The device of a model and the number format it computes in.
struct Placement {
  const Device& device;
  DType type;
  bool tf32 = false;           // on a GPU: f32 matrix products use TF32
  bool bf16_products = false;  // on the CPU, in training: linear layers round the factors of their products to bf16
  // Matrix products in inference: the format of their factors, or that of the model file.
  WeightFormat weights = WeightFormat::same;
  bool as_stored = false;
};

// The setting of every command that may use threads.
struct ThreadOptions {
  int threads = 0;

  template <class V>
  void visit(V& v) {
    v.section("Machine");
    v("threads", threads, "threads to use; 0 means one per core", between(0, 1024));
  }
};

template <class V>
void visit_device(V& v, std::string& device) {
  v("device", device, "where to compute: cpu, cuda, cuda:N, or auto, which is a GPU if there is one");
}

// A placement as settings.
struct PlacementOptions {
  std::string device = "auto";
  Precision precision = Precision::automatic;

  template <class V>
  void visit(V& v) {
    visit_device(v, device);
    v("precision", precision, "number format; automatic is bf16 on a GPU and that of the model file on the CPU");
  }
};

// The settings of every command that computes with models.
struct ComputeOptions : ThreadOptions, PlacementOptions {
  template <class V>
  void visit(V& v) {
    ThreadOptions::visit(v);
    PlacementOptions::visit(v);
  }
};

// Finds the device. Throws Error if there is no such device or it does not support the precision.
enum class Use { inference, training };
Placement find_placement(const PlacementOptions& options, Use use = Use::inference);

// While it exists, f32 matrix products that this thread computes or launches use the placement's precision. Every
// thread that computes with a model holds one.
class PrecisionScope {
 public:
  explicit PrecisionScope(const Placement& where);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  bool tf32_before_, bf16_before_;
};

template <>
struct EnumNames<WeightFormat> {
  static constexpr std::pair<WeightFormat, const char*> list[] = {
      {WeightFormat::same, "f32"}, {WeightFormat::bf16, "bf16"}, {WeightFormat::int8, "int8"}};
};

template <>
struct EnumNames<Precision> {
  static constexpr std::pair<Precision, const char*> list[] = {{Precision::automatic, "automatic"},
                                                               {Precision::f32, "f32"},
                                                               {Precision::tf32, "tf32"},
                                                               {Precision::bf16, "bf16"},
                                                               {Precision::int8, "int8"}};
};

}  // namespace dragoman
