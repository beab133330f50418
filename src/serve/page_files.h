#pragma once

#include <vector>

#include "serve/router.h"

namespace dragoman::serve {

// The files of src/serve/page, compiled in: each under its own name, index.html also as /.
std::vector<Route> page_routes();

}  // namespace dragoman::serve
