#pragma once

#include <vector>

#include "serve/backend.h"
#include "serve/router.h"

namespace dragoman::serve {

// POST /v1/explain: how a translation came about. GET /v1/models: the models that can be named there. The backend must
// outlive it.
std::vector<Route> explain_routes(Backend& backend);

}  // namespace dragoman::serve
