// A recipe and the data it declares: any text is a recipe or an error.
#include <string>

#include "base/error.h"
#include "recipe/recipe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<recipe::DataFolder> folders;
  try {
    folders = recipe::parse_data(text, "data.yaml");
  } catch (const Error&) {
  }
  try {
    recipe::parse_recipe(text, "recipe.yaml", "fuzz", folders);
  } catch (const Error&) {
  }
  return 0;
}
