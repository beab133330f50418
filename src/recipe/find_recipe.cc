#include "recipe/find_recipe.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "base/program_files.h"
#include "base/text_value.h"

namespace dragoman::recipe {

namespace fs = std::filesystem;

std::vector<std::string> recipe_folders() {
  std::vector<std::string> folders = program_folders("recipes");
  if (fs::is_directory("recipes")) folders.insert(folders.begin(), "recipes");
  return folders;
}

std::string find_recipe(const std::string& name) {
  if (fs::exists(name)) return name;
  for (const std::string& folder : recipe_folders())
    if (fs::exists(fs::path(folder) / name / "recipe.yaml")) return (fs::path(folder) / name).string();
  const std::vector<std::string> known = known_recipes();
  const std::string near = nearest(name, known);
  if (known.empty()) fail("there is no recipe '{}'; expected a folder with recipe.yaml", name);
  fail("there is no recipe '{}'; {}", name,
       near.empty() ? "expected a folder with recipe.yaml, or one of " + join(known, ", ")
                    : "did you mean '" + near + "'?");
}

std::vector<std::string> known_recipes() {
  std::vector<std::string> known;
  for (const std::string& folder : recipe_folders())
    for (const std::string& name : recipes_in(folder))
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  return known;
}

std::vector<std::string> recipes_in(const std::string& folder) {
  check(fs::is_directory(folder), "{}: expected a folder of recipes", folder);
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "recipe.yaml")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace dragoman::recipe
