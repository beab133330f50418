// Any bytes are either a checkpoint that can be resumed from or refused with an error that changes nothing. The first
// byte of the input says what the rest is:
//   f  a whole file
//   s  the training state inside a file
//   t  tensors of a file whose checksum is right: lines of name, type and number of bytes, then the training state
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "tests/fuzz/input_file.h"
#include "train/checkpoint.h"

namespace {

using namespace dragoman;

void require(bool condition) {
  if (!condition) std::abort();
}

// The smallest run with everything that a checkpoint holds.
struct SmallRun {
  SmallRun() {
    parameters.add("weight", {2, 4}, nn::Init::normal(1));
    parameters.allocate(cpu_device(), DType::f32, 1, true);
    masters.emplace(parameters);
    optimiser.emplace(train::OptimiserOptions{}, *masters);
    average.emplace(0.9, *masters);
  }
  train::Trained trained() { return {*masters, *optimiser, &*average, state}; }
  std::vector<float> weights() const { return parameters.weights().to_host<float>(); }

  nn::Parameters parameters;
  std::optional<train::MasterWeights> masters;
  std::optional<train::Optimiser> optimiser;
  std::optional<train::MovingAverage> average;
  train::TrainState state;
};

void load(const std::string& path) {
  static SmallRun run;
  const std::vector<float> before = run.weights();
  const train::TrainState state = run.state;
  try {
    train::load_checkpoint(path, run.trained());
  } catch (const Error&) {
    require(std::memcmp(run.weights().data(), before.data(), before.size() * sizeof before[0]) == 0);
    require(run.state == state);
  }
}

void load_file(std::string_view bytes) {
  const fuzz::InputFile file(bytes);
  load(file.path());
}

// A state that is read can be written and read again.
void load_state(std::string_view text) {
  try {
    const train::TrainState state = train::state_from_json(std::string(text), "fuzz");
    require(train::state_from_json(train::to_json(state), "again") == state);
  } catch (const Error&) {
  }
}

// A file in memory, and the metadata of a real checkpoint.
struct Written {
  Written() {
    std::string folder = "/dev/shm/fuzz-XXXXXX";
    require(mkdtemp(folder.data()) != nullptr);
    path = folder + "/checkpoint";
    SmallRun run;
    train::save_checkpoint(path, {}, run.trained());
    metadata = store::SafetensorsFile(path).metadata();
  }
  ~Written() {
    unlink(path.c_str());
    rmdir(path.substr(0, path.rfind('/')).c_str());
  }
  std::string path;
  store::Metadata metadata;
};

void load_tensors(std::string_view text) {
  static const Written written;
  constexpr std::size_t kMostTensors = 8, kMostBytes = 256;
  static const std::string zeros(kMostBytes, '\0');
  std::vector<store::StoredTensor> tensors;
  std::istringstream lines{std::string(text)};
  std::string name, type;
  std::size_t bytes = 0;
  while (tensors.size() < kMostTensors && lines >> name && name != "{" && lines >> type >> bytes) {
    bytes = std::min(bytes, kMostBytes);
    const std::size_t size = type == "F32" || type == "I32" ? 4 : type == "F64" ? 8 : type == "BF16" ? 2 : 1;
    tensors.push_back({name, type, {static_cast<Size>(bytes / size)}, std::string_view(zeros).substr(0, bytes)});
  }
  const std::size_t brace = std::min(text.find('{'), text.size());
  const std::string state(text.substr(brace));
  tensors.push_back({"train.state", "U8", {std::ssize(state)}, state});
  try {
    store::write_safetensors(written.path, written.metadata, tensors);
  } catch (const std::exception&) {
    return;  // such a name or type cannot be written
  }
  load(written.path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 's': load_state(rest); break;
    case 't': load_tensors(rest); break;
    default: load_file(rest);
  }
  return 0;
}
