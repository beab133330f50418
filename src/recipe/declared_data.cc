#include "recipe/declared_data.h"

#include <filesystem>

namespace dragoman::recipe {

void require_data(const Recipe& recipe, const std::string& data) {
  std::string missing;
  for (const DataFolder& folder : recipe.data)
    for (const DataFile& file : folder.files) {
      const std::string path = data + "/" + folder.name + "/" + file.name;
      if (!std::filesystem::exists(path)) missing += "\n  " + path;
    }
  check(missing.empty(), "missing data; --data FOLDER names the folder of the corpora:{}", missing);
}

}  // namespace dragoman::recipe
