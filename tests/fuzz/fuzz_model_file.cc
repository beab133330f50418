// A model file from a stranger: it is refused with an Error, or everything that translation needs can be made of it.
#include "base/error.h"
#include "models/classifier.h"
#include "models/seq2seq.h"
#include "store/model_file.h"
#include "tests/fuzz/input_file.h"
#include "text/tokenizer.h"

namespace {

using namespace dragoman;

template <class Model>
void load(const store::ModelFile& file) {
  Model model(file.info().config);
  model.parameters().allocate(cpu_device(), DType::f32, std::nullopt, false);
  file.load(model.parameters());
}

template <class F>
void attempt(F&& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile input({reinterpret_cast<const char*>(data), size});
  attempt([&] { store::SafetensorsFile(input.path()).read_all(); });
  attempt([&] {
    const store::ModelFile file(input.path());
    attempt([&] { text::deserialize_tokenizer(file.info().source_tokenizer); });
    if (file.info().config.classes > 0)
      load<models::Classifier>(file);
    else
      load<models::Seq2seq>(file);
  });
  return 0;
}
