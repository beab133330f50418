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

// One of the flat tensors beside the model's weights.
struct Flat {
  std::string name;  // in the file
  Tensor tensor;
  bool is_divided;  // a rank has its share only

  Size element() const { return size_of(tensor.dtype()); }
  // The elements of a piece.
  Tensor part(const Piece& piece) const { return slice(tensor, is_divided ? piece.local : piece.first, piece.count); }
};

std::vector<Flat> flat_tensors(const Trained& trained) {
  std::vector<Flat> list;
  for (const auto& [name, tensor] : trained.optimiser.state()) list.push_back({prefixed(name), tensor, true});
  if (trained.average) list.push_back({prefixed(kWeights), trained.average->tensor(), false});
  return list;
}

std::uint64_t whole_bytes(const Flat& flat, const Trained& trained) {
  return static_cast<std::uint64_t>(trained.parameters.weights().count() * flat.element());
}

std::vector<store::TensorRecord> layout_of(const store::ModelInfo& info, const Trained& trained,
                                           const std::string& state) {
  std::vector<store::TensorRecord> records = store::records_of(trained.parameters);
  for (const store::StoredTensor& one : store::companions_of(info))
    records.push_back({one.name, one.type, one.shape, 0, one.bytes.size()});
  for (const Flat& flat : flat_tensors(trained))
    records.push_back({flat.name,
                       store::stored_type(flat.tensor.dtype()),
                       {trained.parameters.weights().count()},
                       0,
                       whole_bytes(flat, trained)});
  records.push_back({prefixed(kState), "U8", {std::ssize(state)}, 0, state.size()});
  return records;
}

// The ranks take turns with the parameters, each writes its share of flat tensors, and the first one writes the rest.
void write_parts(store::SafetensorsParts& file, const store::ModelInfo& info, const Trained& trained,
                 const std::string& state) {
  int turn = 0;
  for (const nn::Parameters::Entry& entry : trained.parameters.entries())
    if (turn++ % trained.comm().size() == trained.comm().rank())
      file.write(entry.name, 0, trained.parameters.weights_of(entry));
  const Share share = trained.share();
  for (const Flat& flat : flat_tensors(trained))
    for (const Piece& piece : share.pieces())
      file.write(flat.name, static_cast<std::uint64_t>(piece.first * flat.element()), flat.part(piece));
  if (!trained.comm().leads()) return;
  for (const store::StoredTensor& one : store::companions_of(info)) file.write(one.name, 0, one.bytes);
  file.write(prefixed(kState), 0, state);
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

// A checkpoint that is open and whose header fits the run.
class Reader {
 public:
  Reader(const std::string& path, const Trained& trained)
      : trained_(trained),
        model_(path, store::ModelFile::Configuration::unused),
        state_(state_from_json(file().read(require(prefixed(kState))), path)) {
    model_.check_fits(trained.parameters);
    for (const Flat& flat : flat_tensors(trained)) {
      const store::TensorRecord& stored = require(flat.name);
      const std::uint64_t bytes = whole_bytes(flat, trained);
      const char* const type = store::stored_type(flat.tensor.dtype());
      check(stored.size == bytes && stored.type == type, "{}: '{}' has {} bytes of {}, expected {} of {}", path,
            stored.name, stored.size, stored.type, bytes, type);
    }
  }

  const store::SafetensorsFile& file() const { return model_.file(); }

  // The file has been verified.
  void load() const {
    const Averaged averaged(trained_.average);
    model_.load(trained_.parameters, store::Verified::yes);
    const Share own = trained_.share(), whole(trained_.parameters.weights().count());
    for (const Flat& flat : flat_tensors(trained_))
      for (const Piece& piece : (flat.is_divided ? own : whole).pieces()) load_part(flat, piece);
    trained_.state = state_;
  }

 private:
  const store::TensorRecord& require(const std::string& name) const {
    const store::TensorRecord* const stored = file().find(name);
    check(stored != nullptr, "{}: has no '{}': it is a plain model, or a checkpoint of a run with other settings",
          file().path(), name);
    return *stored;
  }
  void load_part(const Flat& flat, const Piece& piece) const {
    const Tensor part = flat.part(piece);
    const bool direct = part.device().on_host();
    std::string staged(direct ? 0 : part.bytes(), '\0');
    file().read(require(flat.name), static_cast<std::uint64_t>(piece.first * flat.element()),
                direct ? static_cast<char*>(part.raw()) : staged.data(), part.bytes());
    if (!direct) part.copy_from(staged.data());
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

void save_checkpoint(const std::string& path, const store::ModelInfo& info, const Trained& trained) {
  const Averaged averaged(trained.average);
  comm::Communicator& comm = trained.comm();
  const std::string state = to_json(trained.state);
  std::optional<store::SafetensorsDraft> draft;
  if (comm.leads()) draft.emplace(path, store::metadata_of(info), layout_of(info, trained, state));
  const std::string name = comm.from_leader(draft ? draft->name() : "");
  {
    store::SafetensorsParts parts(name);
    write_parts(parts, info, trained, state);
    parts.sync();
  }
  comm.barrier();
  const store::PieceHashes pieces = merged(comm.exchange(to_bytes(own_hashes(store::SafetensorsFile(name), comm))));
  if (draft) draft->commit(pieces);
}

std::uint64_t checkpoint_bytes(const Trained& trained) {
  std::uint64_t bytes = trained.parameters.weights().bytes();
  for (const Flat& flat : flat_tensors(trained)) bytes += whole_bytes(flat, trained);
  return bytes;
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
