#pragma once

#include <functional>
#include <vector>

#include "serve/backend.h"
#include "serve/router.h"

namespace dragoman::serve {

// The endpoints for whoever runs the server: /health, /metrics, /admin/reload. `connections` says how many are open.
// Models are loaded by `loader`, so that nobody else waits for them.
std::vector<Route> operation_routes(Backend& backend, TaskThreads& loader, std::function<std::size_t()> connections);

}  // namespace dragoman::serve
