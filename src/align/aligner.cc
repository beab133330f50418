#include "align/aligner.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/checked_file.h"

namespace dragoman::align {
namespace {

constexpr std::string_view kModelKind = "dragoman alignment model 1\n";

std::string dump(SideOptions options) { return Settings(options).dump(); }

SideOptions parse_side(const std::string& yaml, const std::string& where) {
  SideOptions options;
  Settings(options).read_yaml(yaml, where);
  return options;
}

void save_positions(const PositionModel& model, ByteSink& writer) {
  writer.put(static_cast<std::int32_t>(model.kind()));
  writer.put(model.null());
  writer.put_array(model.parameters());
}

std::unique_ptr<PositionModel> load_positions(ByteReader& reader) {
  const auto kind = static_cast<AlignmentKind>(reader.get<std::int32_t>());
  const auto null = reader.get<double>();
  return PositionModel::make(kind, null, reader.get_array<double>());
}

}  // namespace

Aligner::Aligner(const EmTraining& training, const Bitext& bitext)
    : Aligner({bitext.source().side(), bitext.source().words(), {}},
              {bitext.target().side(), bitext.target().words(), {}}) {
  const TranslationTable& table = training.table();
  const Cooccurrence& cells = table.cooccurrence();
  for (std::int32_t id = 0; id < source_.words.size(); ++id) source_.null.push_back(table.null_backward(id));
  for (std::int32_t id = 0; id < target_.words.size(); ++id) target_.null.push_back(table.null_forward(id));
  row_begin_.reserve(cells.rows() + 1);
  for (std::size_t row = 0; row <= cells.rows(); ++row) row_begin_.push_back(cells.row_begin(row));
  targets_ = cells.targets();
  forward_.reserve(targets_.size());
  backward_.reserve(targets_.size());
  for (std::size_t at = 0; at < targets_.size(); ++at) {
    forward_.push_back(table.cell(static_cast<std::uint32_t>(at)).forward);
    backward_.push_back(table.cell(static_cast<std::uint32_t>(at)).backward);
  }
  const Directions& learned = training.directions();
  for (const auto& [from, to] :
       {std::pair(&learned.forward, &directions_.forward), {&learned.backward, &directions_.backward}})
    *to = PositionModel::make((*from)->kind(), (*from)->null(), (*from)->parameters());
}

std::vector<std::int32_t> Aligner::ids(const Language& language, std::span<const std::string> words) {
  std::vector<std::int32_t> result;
  result.reserve(words.size());
  for (const std::string& word : words) result.push_back(language.words.find(language.side.key(word)));
  return result;
}

void Aligner::emissions(std::span<const std::int32_t> source, std::span<const std::int32_t> target, PairMatrix& forward,
                        PairMatrix& backward) const {
  const int sources = static_cast<int>(source.size()), targets = static_cast<int>(target.size());
  forward.resize(targets, sources);
  backward.resize(sources, targets);
  for (int i = 0; i < sources; ++i) {
    const auto begin = targets_.begin() + static_cast<std::ptrdiff_t>(row_begin_[source[i]]);
    const auto end = targets_.begin() + static_cast<std::ptrdiff_t>(row_begin_[source[i] + 1]);
    for (int j = 0; j < targets; ++j) {
      const auto found = std::lower_bound(begin, end, target[j]);
      const std::size_t cell =
          found != end && *found == target[j] ? static_cast<std::size_t>(found - targets_.begin()) : 0;
      forward.row(j)[i] = forward_[cell];
      backward.row(i)[j] = backward_[cell];
    }
    backward.null[i] = source_.null[source[i]];
  }
  for (int j = 0; j < targets; ++j) forward.null[j] = target_.null[target[j]];
}

PairPosteriors Aligner::posteriors(std::span<const std::int32_t> source, std::span<const std::int32_t> target) const {
  PairMatrix forward, backward;
  emissions(source, target, forward, backward);
  PairPosteriors result;
  directions_.forward->posteriors(forward, result.forward, {});
  directions_.backward->posteriors(backward, result.backward, {});
  return result;
}

Links Aligner::align(std::span<const std::int32_t> source, std::span<const std::int32_t> target,
                     const DecodingOptions& options) const {
  if (source.empty() || target.empty()) return {};
  return decode(posteriors(source, target), options);
}

void Aligner::save(const std::string& path) const {
  CheckedFileWriter writer(path, kModelKind);
  for (const Language* const language : {&source_, &target_}) {
    writer.put_text(dump(language->side.options()));
    writer.put_texts(language->words.keys());
    writer.put_array(language->null);
  }
  writer.put_array(row_begin_);
  writer.put_array(targets_);
  writer.put_array(forward_);
  writer.put_array(backward_);
  save_positions(*directions_.forward, writer);
  save_positions(*directions_.backward, writer);
  writer.commit();
}

Aligner Aligner::load(const std::string& path) {
  const CheckedFile file(path, kModelKind);
  ByteReader reader = file.reader();
  const auto language = [&] {
    const Side side(parse_side(std::string(reader.get_text()), path));
    WordIds words(reader.get_texts());
    return Language{side, std::move(words), reader.get_array<float>()};
  };
  Language source = language();
  Aligner aligner(std::move(source), language());
  aligner.row_begin_ = reader.get_array<std::uint64_t>();
  aligner.targets_ = reader.get_array<std::int32_t>();
  aligner.forward_ = reader.get_array<float>();
  aligner.backward_ = reader.get_array<float>();
  aligner.directions_.forward = load_positions(reader);
  aligner.directions_.backward = load_positions(reader);
  reader.expect_end();
  aligner.check_consistent(path);
  return aligner;
}

// The checksum does not cover this: sizes and indices must be consistent, so that no lookup leaves its table.
void Aligner::check_consistent(const std::string& path) const {
  // Training gives no probability below 10^-12. Much smaller ones would underflow in products.
  const auto probable = [](float p) { return p >= 1e-20f && p <= 1.001f; };
  const std::size_t cells = targets_.size();
  bool fits = source_.null.size() == static_cast<std::size_t>(source_.words.size()) &&
              target_.null.size() == static_cast<std::size_t>(target_.words.size()) &&
              row_begin_.size() == source_.null.size() + 1 && forward_.size() == cells && backward_.size() == cells &&
              cells > 0;
  fits = fits && row_begin_.front() >= 1 && row_begin_.back() == cells &&
         std::is_sorted(row_begin_.begin(), row_begin_.end());
  const auto known = [&](std::int32_t id) { return id >= 0 && id < target_.words.size(); };
  fits = fits && std::all_of(targets_.begin(), targets_.end(), known);
  // Cells are found by binary search.
  for (std::size_t row = 0; fits && row + 1 < row_begin_.size(); ++row) {
    const auto begin = targets_.begin() + static_cast<std::ptrdiff_t>(row_begin_[row]);
    const auto end = targets_.begin() + static_cast<std::ptrdiff_t>(row_begin_[row + 1]);
    fits = std::adjacent_find(begin, end, std::greater_equal<>()) == end;
  }
  for (const std::vector<float>* const list : {&source_.null, &target_.null, &forward_, &backward_})
    fits = fits && std::all_of(list->begin(), list->end(), probable);
  check(fits, "{}: the parts of the alignment model are inconsistent", path);
}

}  // namespace dragoman::align
