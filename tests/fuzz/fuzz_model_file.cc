// A model file from a stranger: it is refused with an Error, or everything that translation needs can be made of it.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "models/classifier.h"
#include "models/seq2seq.h"
#include "store/checksum.h"
#include "store/model_file.h"
#include "tests/fuzz/input_file.h"
#include "text/tokenizer.h"

namespace {

using namespace dragoman;
using nlohmann::ordered_json;

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

// A file as its parts, for changes that keep it a safetensors file with a right checksum.
class Parts {
 public:
  // False if the bytes are not such a file.
  bool read(std::string_view bytes) {
    if (bytes.size() < kLength) return false;
    std::uint64_t length = 0;
    std::copy_n(bytes.data(), kLength, reinterpret_cast<char*>(&length));
    if (length > bytes.size() - kLength) return false;
    const ordered_json header = ordered_json::parse(bytes.substr(kLength, length), nullptr, false);
    if (!header.is_object()) return false;
    const std::string_view data = bytes.substr(kLength + length);
    try {
      for (const auto& [name, entry] : header.items())
        if (name == "__metadata__")
          metadata_ = entry.get<store::Metadata>();
        else
          read_tensor(name, entry, data);
    } catch (const ordered_json::exception&) {
      return false;
    }
    metadata_.erase(store::kChecksum);
    return !tensors_.empty();
  }

  void change(Random& random) {
    Tensor& one = pick(random);
    Tensor& other = pick(random);
    switch (random.below(9)) {
      case 0: std::swap(one.name, other.name); break;
      case 1: std::swap(one.bytes, other.bytes); break;
      case 2: std::swap(one.shape, other.shape); break;
      case 3: std::reverse(one.shape.begin(), one.shape.end()); break;
      case 4: one.type = kTypes[random.below(std::size(kTypes))]; break;
      case 5: tensors_.push_back({one.name + "x", one.type, one.shape, one.bytes}); break;
      case 6: tensors_.erase(tensors_.begin() + (&one - tensors_.data())); break;
      case 7: change_bytes(one.bytes, random); break;
      default: change_metadata(random);
    }
  }

  std::string write() const {
    std::vector<store::StoredTensor> stored;
    for (const Tensor& tensor : tensors_) stored.push_back({tensor.name, tensor.type, tensor.shape, tensor.bytes});
    ordered_json header;
    header["__metadata__"] = metadata_;
    header["__metadata__"][store::kChecksum] = store::checksum_of(metadata_, stored);
    std::string data;
    for (const Tensor& tensor : tensors_) {
      const std::size_t begin = data.size();
      data += tensor.bytes;
      header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
    }
    const std::string text = header.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), kLength) + text + data;
  }

 private:
  struct Tensor {
    std::string name, type;
    std::vector<Size> shape;
    std::string bytes;
  };
  static constexpr std::size_t kLength = 8;
  static constexpr const char* kTypes[] = {"F32", "BF16", "F64", "F16", "I32", "U8"};

  void read_tensor(const std::string& name, const ordered_json& entry, std::string_view data) {
    Tensor tensor{name, entry.at("dtype"), entry.at("shape"), ""};
    const auto place = entry.at("data_offsets").get<std::vector<std::size_t>>();
    if (place.size() == 2 && place[0] <= place[1] && place[1] <= data.size())
      tensor.bytes = data.substr(place[0], place[1] - place[0]);
    tensors_.push_back(std::move(tensor));
  }

  Tensor& pick(Random& random) { return tensors_[random.below(tensors_.size())]; }

  // A few bytes: weights, or the tokenizer.
  static void change_bytes(std::string& bytes, Random& random) {
    for (std::uint64_t i = random.below(4); !bytes.empty() && i-- > 0;)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
  }

  // A number of the configuration, as far as it is one digit; or any character of any value.
  void change_metadata(Random& random) {
    if (metadata_.empty()) return;
    auto entry = metadata_.begin();
    if (random.below(2) == 0 && metadata_.contains("config"))
      entry = metadata_.find("config");
    else
      std::advance(entry, random.below(metadata_.size()));
    std::string& value = entry->second;
    if (value.empty()) return;
    const std::size_t digit = value.find_first_of("0123456789", random.below(value.size()));
    if (digit != std::string::npos)
      value.replace(digit, 1, std::to_string(random.below(random.below(2) == 0 ? 10 : 100'000)));
    else
      value[random.below(value.size())] = static_cast<char>(' ' + random.below(95));
  }

  store::Metadata metadata_;
  std::vector<Tensor> tensors_;
};

}  // namespace

// Half of the changes are of bytes, which mostly damage the file; the others repair its places and its checksum.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity,
                                               unsigned seed) {
  Random random(seed);
  Parts parts;
  if (random.below(2) == 0 || !parts.read({reinterpret_cast<const char*>(data), size}))
    return LLVMFuzzerMutate(data, size, capacity);
  parts.change(random);
  const std::string bytes = parts.write();
  if (bytes.size() > capacity) return LLVMFuzzerMutate(data, size, capacity);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile input({reinterpret_cast<const char*>(data), size});
  attempt([&] { store::SafetensorsFile(input.path()).read_all(); });
  attempt([&] {
    const store::ModelFile file(input.path());
    attempt([&] { text::deserialize_tokenizer(file.info().source_tokenizer); });
    if (!file.info().shortlist.empty())
      for (std::int32_t token = 0; token < std::min(file.info().config.source_vocabulary, 100); ++token)
        file.info().shortlist.choose({&token, 1}, {});
    if (file.info().config.classes > 0)
      load<models::Classifier>(file);
    else
      load<models::Seq2seq>(file);
  });
  return 0;
}
