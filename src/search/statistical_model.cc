#include "search/statistical_model.h"

#include "base/error.h"
#include "store/model_file.h"

namespace dragoman::search {

void save_statistical(const std::string& path, const smt::PhraseSystem& system, const store::Metadata& card) {
  const smt::PhraseSystem::Sections sections = system.sections();
  store::Metadata metadata = card;
  metadata[store::kKind] = store::kStatisticalKind;
  std::vector<store::StoredTensor> tensors;
  for (const auto& [name, bytes] : sections) tensors.push_back({name, "U8", {static_cast<Size>(bytes.size())}, bytes});
  store::write_safetensors(path, metadata, tensors);
}

smt::PhraseSystem load_statistical(const std::string& path) {
  const store::SafetensorsFile file(path);
  check(store::is_statistical(file), "{}: expected a statistical model", path);
  const std::map<std::string, std::string> stored = file.read_all();
  const std::map<std::string, std::string_view> sections(stored.begin(), stored.end());
  try {
    return smt::PhraseSystem::from_sections(sections);
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

}  // namespace dragoman::search
