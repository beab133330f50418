#include <nlohmann/json.hpp>

#include "base/version.h"
#include "cli/command.h"

namespace dragoman::cli {
namespace {

struct DoctorOptions {
  bool json = false;

  template <class V>
  void visit(V& v) {
    v("json", json, "print JSON");
  }
};

int run(const Command& self, const std::vector<std::string>& arguments) {
  return run_with<DoctorOptions>(self, arguments, [](const DoctorOptions&, const std::vector<std::string>&) {
    fmt::print("dragoman {}\n", DRAGOMAN_VERSION);
    return 0;
  });
}

}  // namespace

extern const Command doctor{"doctor", "", "shows what this machine offers and what dragoman will use", run};

}  // namespace dragoman::cli
