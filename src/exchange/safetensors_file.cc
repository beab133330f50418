#include "exchange/safetensors_file.h"

#include "base/error.h"
#include "store/safetensors.h"

namespace dragoman::exchange {
namespace {

class ForeignSafetensors final : public TensorFile {
 public:
  explicit ForeignSafetensors(const std::string& path) : TensorFile(path), file_(path) {
    for (const store::TensorRecord& tensor : file_.tensors()) add(tensor.name, tensor.shape);
  }

 private:
  std::vector<float> read_entry(std::size_t index) const override {
    const store::TensorRecord& tensor = file_.tensors()[index];
    return as_floats(tensor.type, file_.read(tensor), count_elements(tensor.shape, tensor.name), tensor.name);
  }

  store::SafetensorsFile file_;
};

class JoinedFiles final : public TensorFile {
 public:
  JoinedFiles(const std::string& path, std::vector<std::unique_ptr<TensorFile>> parts)
      : TensorFile(path), parts_(std::move(parts)) {
    for (const auto& part : parts_)
      for (const Entry& entry : part->entries()) {
        add(entry.name, entry.shape);
        owners_.push_back(part.get());
      }
  }

 private:
  std::vector<float> read_entry(std::size_t index) const override {
    return owners_[index]->read(entries()[index].name);
  }

  std::vector<std::unique_ptr<TensorFile>> parts_;
  std::vector<const TensorFile*> owners_;
};

}  // namespace

std::unique_ptr<TensorFile> open_safetensors(const std::string& path) {
  return std::make_unique<ForeignSafetensors>(path);
}

std::unique_ptr<TensorFile> join_files(const std::string& path, std::vector<std::unique_ptr<TensorFile>> parts) {
  return std::make_unique<JoinedFiles>(path, std::move(parts));
}

}  // namespace dragoman::exchange
