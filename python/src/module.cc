#include "base/log.h"
#include "dragoman/error.h"
#include "dragoman/version.h"
#include "kernels/cuda/cuda.h"
#include "python.h"

namespace dragoman {
template <>
struct EnumNames<log::Level> {
  static constexpr std::pair<log::Level, const char*> list[] = {{log::Level::debug, "debug"},
                                                                {log::Level::info, "info"},
                                                                {log::Level::warning, "warning"},
                                                                {log::Level::error, "error"},
                                                                {log::Level::quiet, "quiet"}};
};
}  // namespace dragoman

namespace dragoman::python {
namespace {

void set_log_level(const py::object& level) {
  log::Level value = log::Level::warning;
  Settings settings;
  settings("level", value, "");
  Arguments(py::dict(py::arg("level") = level)).apply(settings);
  log::set_level(value);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of dragoman. Use the package `dragoman`, which documents everything.";
  module.attr("version") = dragoman::version();
  auto error = py::register_exception<Error>(module, "Error", PyExc_RuntimeError);
  error.attr("__module__") = "dragoman";
  error.doc() = "What was expected, what came instead, and where.";
  // A library is quiet unless something is wrong.
  log::set_level(log::Level::warning);
  module.def("set_log_level", set_log_level);
  module.def("gpu_count", kernels::cuda::count);
  define_translator(module);
  define_models(module);
  define_metrics(module);
  define_alignment(module);
  define_text(module);
  define_training(module);
  define_pictures(module);
}

}  // namespace dragoman::python
