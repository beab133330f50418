#include "train/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/byte_stream.h"
#include "base/counted.h"
#include "store/shared_safetensors.h"
#include "train/flat.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;
constexpr const char* kExtension = ".safetensors";
constexpr const char* kState = "state";
constexpr const char* kWeights = "weights";
constexpr std::string_view kReadable = "readable ";  // begins the message of a rank that has no error

std::string prefixed(const std::string& name) { return store::kTrainingPrefix + name; }

// One of the flat tensors beside the model's weights, of which a rank has its share.
struct Flat {
  std::string name;  // in the file
  std::function<Tensor(const Piece&)> part;
};

std::vector<Flat> flat_tensors(const Trained& trained) {
  std::vector<Flat> list;
  for (const auto& [name, tensor] : trained.optimiser.state())
    list.push_back(
        {prefixed(name), [share = tensor](const Piece& piece) { return slice(share, piece.local, piece.count); }});
  if (trained.average)
    list.push_back(
        {prefixed(kWeights), [&weights = trained.weights](const Piece& piece) { return weights.part(piece); }});
  return list;
}

// All of these tensors have the type of the weights, and as many elements.
Size element_of(const Trained& trained) { return size_of(trained.parameters().weights().dtype()); }

std::vector<store::TensorRecord> model_layout(const store::ModelInfo& info, const Trained& trained) {
  std::vector<store::TensorRecord> records = store::records_of(trained.parameters());
  for (const store::StoredTensor& one : store::companions_of(info))
    records.push_back({one.name, one.type, one.shape, 0, one.bytes.size()});
  return records;
}

// Calls f(piece, byte) with this rank's parts of a parameter; `byte` is where the part begins in it.
template <class F>
void each_part(const nn::Parameters::Entry& entry, const Trained& trained, const F& f) {
  for (const Piece& piece : trained.weights.share().within(entry.offset, entry.offset + entry.shape.count()))
    f(piece, static_cast<std::uint64_t>((piece.first - entry.offset) * element_of(trained)));
}
// The same of a flat tensor.
template <class F>
void each_part(const Trained& trained, const F& f) {
  for (const Piece& piece : trained.weights.share().pieces())
    f(piece, static_cast<std::uint64_t>(piece.first * element_of(trained)));
}

void write_model(store::SafetensorsParts& file, const store::ModelInfo& info, const Trained& trained) {
  for (const nn::Parameters::Entry& entry : trained.parameters().entries())
    each_part(entry, trained,
              [&](const Piece& piece, std::uint64_t byte) { file.write(entry.name, byte, trained.model_part(piece)); });
  if (!trained.comm().leads()) return;
  for (const store::StoredTensor& one : store::companions_of(info)) file.write(one.name, 0, one.bytes);
}

void write_state(store::SafetensorsParts& file, const Trained& trained, const std::string& state) {
  for (const Flat& flat : flat_tensors(trained))
    each_part(trained, [&](const Piece& piece, std::uint64_t byte) { file.write(flat.name, byte, flat.part(piece)); });
  if (trained.comm().leads()) file.write(prefixed(kState), 0, state);
}

std::string to_bytes(const store::PieceHashes& pieces) {
  ByteWriter out;
  out.put(pieces.not_finite);
  out.put_array(pieces.hashes);
  return out.take();
}

// The hashes of all pieces, from the messages of all ranks.
store::PieceHashes merged(const std::vector<std::string>& messages) {
  std::vector<store::PieceHashes> ranks;
  for (const std::string& message : messages) {
    ByteReader in(message, "the hashes of a rank");
    const auto not_finite = in.get<std::int64_t>();
    ranks.push_back({in.get_array<std::uint64_t>(), not_finite});
  }
  return store::merge(ranks);
}

store::PieceHashes own_hashes(const store::SafetensorsFile& file, const comm::Communicator& comm) {
  return store::hash_pieces(file, comm.rank(), comm.size());
}

// All ranks write a file: `write` is called with what this one adds its parts to.
void write_together(const std::string& path, const store::ModelInfo& info, std::vector<store::TensorRecord> layout,
                    comm::Communicator& comm, const std::function<void(store::SafetensorsParts&)>& write) {
  std::optional<store::SafetensorsDraft> draft;
  if (comm.leads()) draft.emplace(path, store::metadata_of(info), std::move(layout));
  const std::string name = comm.from_leader(draft ? draft->name() : "");
  {
    store::SafetensorsParts parts(name);
    write(parts);
    parts.sync();
  }
  comm.barrier();
  const store::PieceHashes pieces = merged(comm.exchange(to_bytes(own_hashes(store::SafetensorsFile(name), comm))));
  if (draft) draft->commit(pieces);
}

// A checkpoint that is open and whose header fits the run.
class Reader {
 public:
  Reader(const std::string& path, const Trained& trained)
      : trained_(trained),
        model_(path, store::ModelFile::Configuration::unused),
        state_(state_from_json(file().read(require(prefixed(kState))), path)) {
    model_.check_fits(trained.parameters());
    for (const nn::Parameters::Entry& entry : trained.parameters().entries())
      check_values(entry.name, entry.shape.count());
    for (const Flat& flat : flat_tensors(trained)) check_values(flat.name, trained.parameters().weights().count());
    if (has_weights_apart()) check_values(prefixed(kWeights), trained.parameters().weights().count());
  }

  const store::SafetensorsFile& file() const { return model_.file(); }

  // The file has been verified.
  void load() const {
    if (!has_weights_apart())
      for (const nn::Parameters::Entry& entry : trained_.parameters().entries())
        each_part(entry, trained_,
                  [&](const Piece& piece, std::uint64_t byte) { read(entry.name, byte, trained_.model_part(piece)); });
    else
      each_part(trained_, [&](const Piece& piece, std::uint64_t byte) {
        read(prefixed(kWeights), byte, trained_.weights.part(piece));
      });
    for (const Flat& flat : flat_tensors(trained_))
      each_part(trained_, [&](const Piece& piece, std::uint64_t byte) { read(flat.name, byte, flat.part(piece)); });
    trained_.weights.refresh();
    trained_.weights.gather();
    trained_.state = state_;
  }

 private:
  // Whether the model in the file is an average of the weights, and this run has none (it is resumed without
  // optimiser.ema).
  bool has_weights_apart() const { return trained_.average == nullptr && file().find(prefixed(kWeights)) != nullptr; }
  const store::TensorRecord& require(const std::string& name) const {
    const store::TensorRecord* const stored = file().find(name);
    check(stored != nullptr, "{}: has no '{}': it is a plain model, or a checkpoint of a run with other settings",
          file().path(), name);
    return *stored;
  }
  void check_values(const std::string& name, Size count) const {
    const store::TensorRecord& stored = require(name);
    const auto bytes = static_cast<std::uint64_t>(count * element_of(trained_));
    const char* const type = store::stored_type(trained_.parameters().weights().dtype());
    check(stored.size == bytes && stored.type == type, "{}: '{}' has {} bytes of {}, expected {} of {}", file().path(),
          name, stored.size, stored.type, bytes, type);
  }
  void read(const std::string& name, std::uint64_t byte, const Tensor& to) const {
    const bool direct = to.device().on_host();
    std::string staged(direct ? 0 : to.bytes(), '\0');
    file().read(require(name), byte, direct ? static_cast<char*>(to.raw()) : staged.data(), to.bytes());
    if (!direct) to.copy_from(staged.data());
  }

  const Trained& trained_;
  store::ModelFile model_;
  TrainState state_;
};

// Loads a checkpoint unless it is damaged or does not fit the run; then returns the error, the same on all ranks.
std::string try_to_load(const std::string& path, const Trained& trained) {
  std::optional<Reader> reader;
  std::string message;
  try {
    reader.emplace(path, trained);
    message = std::string(kReadable) + to_bytes(own_hashes(reader->file(), trained.comm()));
  } catch (const Error& error) {
    message = error.what();
  }
  std::vector<std::string> all = trained.comm().exchange(message);
  for (std::string& one : all) {
    if (!one.starts_with(kReadable)) return one;
    one.erase(0, kReadable.size());
  }
  try {
    check_pieces(reader->file(), merged(all));
  } catch (const Error& error) {
    return error.what();
  }
  reader->load();
  return "";
}

}  // namespace

void save_model(const std::string& path, const store::ModelInfo& info, const Trained& trained) {
  write_together(path, info, model_layout(info, trained), trained.comm(),
                 [&](store::SafetensorsParts& file) { write_model(file, info, trained); });
}

void save_checkpoint(const std::string& path, const store::ModelInfo& info, const Trained& trained) {
  const std::string state = to_json(trained.state);
  const Tensor weights = trained.parameters().weights();
  std::vector<store::TensorRecord> layout = model_layout(info, trained);
  for (const Flat& flat : flat_tensors(trained))
    layout.push_back({flat.name, store::stored_type(weights.dtype()), {weights.count()}, 0, weights.bytes()});
  layout.push_back({prefixed(kState), "U8", {std::ssize(state)}, 0, state.size()});
  write_together(path, info, std::move(layout), trained.comm(), [&](store::SafetensorsParts& file) {
    write_model(file, info, trained);
    write_state(file, trained, state);
  });
}

std::uint64_t checkpoint_bytes(const Trained& trained) {
  return trained.parameters().weights().bytes() * (1 + flat_tensors(trained).size());
}

void load_checkpoint(const std::string& path, const Trained& trained) {
  const std::string problem = try_to_load(path, trained);
  check(problem.empty(), "{}", problem);
}

std::string CheckpointFolder::save(const store::ModelInfo& info, const Trained& trained) const {
  const bool leads = trained.comm().leads();
  if (leads) fs::create_directories(path_);
  const std::string path = fmt::format("{}/{:09}{}", path_, trained.state.position.updates, kExtension);
  save_checkpoint(path, info, trained);
  if (!leads) return path;
  std::vector<std::string> all = list();
  while (all.back() > path) {
    fs::remove(all.back());
    all.pop_back();
  }
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep_) < all.size(); ++i) fs::remove(all[i]);
  return path;
}

void CheckpointFolder::tidy() const {
  if (!fs::is_directory(path_)) return;
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path().filename().string().find(".partial-") != std::string::npos) fs::remove(entry.path());
}

std::vector<std::string> CheckpointFolder::list() const {
  std::vector<std::string> paths;
  if (fs::is_directory(path_))
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().extension() == kExtension) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> CheckpointFolder::list_of_leader(comm::Communicator& comm) const {
  ByteWriter own;
  own.put_texts(list());
  const std::string bytes = comm.from_leader(own.take());
  return ByteReader(bytes, "the list of checkpoints").get_texts();
}

std::string CheckpointFolder::load_newest(const Trained& trained,
                                          const std::function<void(const std::string&)>& damaged) const {
  const std::vector<std::string> all = list_of_leader(trained.comm());
  for (auto path = all.rbegin(); path != all.rend(); ++path) {
    const std::string problem = try_to_load(*path, trained);
    if (problem.empty()) return *path;
    damaged(problem);
  }
  check(all.empty(), "{}: it has {}, but none of them can be used", path_, counted(all.size(), "checkpoint"));
  return "";
}

}  // namespace dragoman::train
