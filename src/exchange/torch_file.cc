#include "exchange/torch_file.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "exchange/pickle.h"
#include "exchange/zip_archive.h"

namespace dragoman::exchange {
namespace {

// 0x1950a86a20f9469cfc6c, least significant byte first: the first value of files before PyTorch 1.6.
constexpr std::string_view kLegacyMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kLegacyVersion = 1001;
// The pickles describe tensors and have a few hundred bytes for each.
constexpr std::uint64_t kLargestPickles = std::uint64_t{1} << 26;

// Gathers the elements of a tensor from its storage.
std::vector<float> gathered(const PickledTensor& tensor, std::string_view storage) {
  check(tensor.shape.size() == tensor.strides.size() && tensor.offset >= 0, "the tensor '{}' is damaged",
        excerpt(tensor.name));
  const Size count = count_elements(tensor.shape, tensor.name);
  if (count == 0) return {};
  Size last = tensor.offset, contiguous = 1;
  bool in_order = true;
  for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
    const Size size = tensor.shape[axis], stride = tensor.strides[axis];
    check(stride >= 0 && (stride == 0 || size - 1 <= (Size{1} << 40) / stride), "the tensor '{}' is damaged",
          excerpt(tensor.name));
    last += (size - 1) * stride;
    in_order = in_order && (size == 1 || stride == contiguous);
    contiguous *= size;
  }
  const std::size_t width = bytes_of_type(tensor.type);
  const auto elements = static_cast<Size>(storage.size() / width);
  check(last < elements, "the tensor '{}' reaches beyond its storage of {} numbers", excerpt(tensor.name), elements);
  // Strides of zero repeat numbers, as often as a file of a few bytes likes.
  check(count <= elements, "the tensor '{}' has {} numbers, more than the {} of its storage", excerpt(tensor.name),
        count, elements);
  if (in_order)
    return as_floats(
        tensor.type,
        storage.substr(static_cast<std::size_t>(tensor.offset) * width, static_cast<std::size_t>(count) * width), count,
        tensor.name);
  const std::vector<float> all =
      as_floats(tensor.type, storage.substr(0, static_cast<std::size_t>(elements) * width), elements, tensor.name);
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  std::vector<Size> at(tensor.shape.size(), 0);
  for (Size i = 0; i < count; ++i) {
    Size place = tensor.offset;
    for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * tensor.strides[axis];
    values.push_back(all[static_cast<std::size_t>(place)]);
    for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == tensor.shape[axis];) at[axis] = 0;
  }
  return values;
}

class TorchFile : public TensorFile {
 protected:
  using TensorFile::TensorFile;
  void take(std::vector<PickledTensor> tensors) {
    tensors_ = std::move(tensors);
    for (const PickledTensor& tensor : tensors_) add(tensor.name, tensor.shape);
  }
  const PickledTensor& tensor(std::size_t index) const { return tensors_[index]; }

 private:
  std::vector<PickledTensor> tensors_;
};

class ZippedTorchFile final : public TorchFile {
 public:
  explicit ZippedTorchFile(const std::string& path) : TorchFile(path), archive_(path) {
    constexpr std::string_view kPickle = "/data.pkl";
    const auto found = std::find_if(archive_.entries().begin(), archive_.entries().end(),
                                    [&](const ZipArchive::Entry& entry) { return entry.name.ends_with(kPickle); });
    check(found != archive_.entries().end() && found->size <= kLargestPickles,
          "{}: is a zip archive, but not one of PyTorch: it has no data.pkl", path);
    folder_ = found->name.substr(0, found->name.size() - kPickle.size());
    take(pickled_tensors(Pickle(archive_.read(*found), path), path));
  }

 private:
  std::vector<float> read_entry(std::size_t index) const override {
    const ZipArchive::Entry* const entry = archive_.find(folder_ + "/data/" + tensor(index).storage);
    check(entry != nullptr, "the archive has no data of the tensor '{}'", excerpt(tensor(index).name));
    return gathered(tensor(index), archive_.read(*entry));
  }

  ZipArchive archive_;
  std::string folder_;
};

class LegacyTorchFile final : public TorchFile {
 public:
  explicit LegacyTorchFile(const std::string& path) : TorchFile(path), file_(path) {
    std::string bytes(static_cast<std::size_t>(std::min(file_.size(), kLargestPickles)), '\0');
    file_.read(0, bytes.data(), bytes.size());
    std::string_view rest = bytes;
    const auto next = [&] {
      Pickle pickle(rest, path);
      rest.remove_prefix(pickle.size());
      return pickle;
    };
    check(next().top().text == kLegacyMagic, "{}: is not a file of PyTorch", path);
    const Pickle version = next();
    check(version.top().integer == kLegacyVersion, "{}: is a file of PyTorch of an unknown version {}", path,
          version.top().integer);
    next();  // sizes of numbers on the machine that wrote it
    std::vector<PickledTensor> tensors = pickled_tensors(next(), path);
    const Pickle keys = next();
    find_storages(keys, tensors, bytes.size() - rest.size());
    take(std::move(tensors));
  }

 private:
  // Storages follow the pickles in the order of their keys: the number of elements in 8 bytes, then the elements.
  void find_storages(const Pickle& keys, const std::vector<PickledTensor>& tensors, std::uint64_t begin) {
    std::map<std::string, std::size_t> widths;
    for (const PickledTensor& tensor : tensors) widths[tensor.storage] = bytes_of_type(tensor.type);
    for (const Pickle::Index part : keys.top().parts) {
      const std::string& key = keys[part].text;
      std::uint64_t elements = 0;
      check(begin + sizeof elements <= file_.size(), "{}: the file is truncated", path());
      file_.read(begin, reinterpret_cast<char*>(&elements), sizeof elements);
      begin += sizeof elements;
      const auto width = widths.find(key);
      check(width != widths.end(), "{}: the storage '{}' belongs to no tensor", path(), excerpt(key));
      check(elements <= (file_.size() - begin) / width->second, "{}: the file is truncated in the storage '{}'", path(),
            excerpt(key));
      storages_[key] = {begin, elements * width->second};
      begin += elements * width->second;
    }
  }

  std::vector<float> read_entry(std::size_t index) const override {
    const auto found = storages_.find(tensor(index).storage);
    check(found != storages_.end(), "the file has no data of the tensor '{}'", excerpt(tensor(index).name));
    std::string bytes(static_cast<std::size_t>(found->second.size), '\0');
    file_.read(found->second.begin, bytes.data(), bytes.size());
    return gathered(tensor(index), bytes);
  }

  struct Place {
    std::uint64_t begin = 0, size = 0;  // bytes
  };
  InputFile file_;
  std::map<std::string, Place> storages_;
};

}  // namespace

std::unique_ptr<TensorFile> open_torch(const std::string& path) {
  if (ZipArchive::is_archive(InputFile(path))) return std::make_unique<ZippedTorchFile>(path);
  return std::make_unique<LegacyTorchFile>(path);
}

}  // namespace dragoman::exchange
