#pragma once

#include <vector>

#include "serve/backend.h"
#include "serve/router.h"

namespace dragoman::serve {

// The endpoints of LibreTranslate: /translate, /detect, /languages, /translate_file, /frontend/settings. The backend
// must outlive them.
std::vector<Route> libre_translate_routes(Backend& backend);

}  // namespace dragoman::serve
