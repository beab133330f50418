#include "models/families.h"

#include <algorithm>
#include <array>

#include "models/recurrent.h"
#include "models/transformer.h"

namespace dragoman::models {
namespace {

// All model families. A new family needs its own file and a line here.
constexpr std::array kFamilies = {&recurrent_family, &transformer_family};

using Name = std::pair<FamilyId, const char*>;

const std::array<Name, kFamilies.size()>& names() {
  static const auto list = [] {
    std::array<Name, kFamilies.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {static_cast<FamilyId>(i), kFamilies[i]().name};
    return all;
  }();
  return list;
}

}  // namespace

const Name* FamilyNames::begin() const { return names().data(); }
const Name* FamilyNames::end() const { return names().data() + names().size(); }

FamilyId family_named(std::string_view name) {
  const auto found =
      std::find_if(names().begin(), names().end(), [&](const Name& entry) { return entry.second == name; });
  check(found != names().end(), "there is no family '{}' of models", name);
  return found->first;
}

const Family& family_of(const ModelConfig& config) { return kFamilies[static_cast<std::size_t>(config.family)](); }

}  // namespace dragoman::models
