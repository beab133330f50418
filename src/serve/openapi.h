#pragma once

#include <vector>

#include "serve/router.h"

namespace dragoman::serve {

// GET /openapi.json: all endpoints, described by OpenAPI (openapi.json in this folder).
std::vector<Route> openapi_routes();

}  // namespace dragoman::serve
