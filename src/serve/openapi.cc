#include "serve/endpoints.h"

#include <nlohmann/json.hpp>

#include "base/version.h"

namespace dragoman::serve {
namespace {

constexpr const char* kDescription =
#include "serve/openapi.json.inc"
    ;

// With the version of the program.
nlohmann::ordered_json description() {
  nlohmann::ordered_json all = nlohmann::ordered_json::parse(kDescription);
  all["info"]["version"] = DRAGOMAN_VERSION;
  return all;
}

}  // namespace

std::vector<Route> description_routes() {
  return {{"GET", "/openapi.json", Access::everybody,
           [all = description()](const std::shared_ptr<Call>& call) { call->respond(all); }},
          {"GET", "/health", Access::everybody,
           [](const std::shared_ptr<Call>& call) {
             call->respond({{"status", "ok"}});
           },
           true}};
}

}  // namespace dragoman::serve
