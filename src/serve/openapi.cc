#include "serve/openapi.h"

namespace dragoman::serve {
namespace {

constexpr const char* kDescription =
#include "serve/openapi.json.inc"
    ;

}  // namespace

std::vector<Route> openapi_routes() {
  return {{"GET", "/openapi.json", Access::everybody,
           [](const std::shared_ptr<Call>& call) { call->respond(HttpResponse{.body = kDescription}); }}};
}

}  // namespace dragoman::serve
