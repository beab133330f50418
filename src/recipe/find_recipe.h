#pragma once

#include <string>
#include <vector>

namespace dragoman::recipe {

// Folders that may hold recipes: ./recipes, then `recipes` of the source tree that the program was built in, then those
// that were installed with it. Only folders that exist.
std::vector<std::string> recipe_folders();

// The path of a recipe that is given as a path or as the name of a folder in recipe_folders(). Throws if there is none,
// and lists the names.
std::string find_recipe(const std::string& name);

// The names of the recipes in recipe_folders().
std::vector<std::string> known_recipes();

// The names of the recipes in a folder, sorted.
std::vector<std::string> recipes_in(const std::string& folder);

}  // namespace dragoman::recipe
