#pragma once

#include <vector>

#include "serve/backend.h"
#include "serve/router.h"

namespace dragoman::serve {

// DeepL's endpoints for texts and documents: /v2/translate, /v2/document, /v2/languages, /v2/usage. The backend must
// outlive them.
std::vector<Route> deepl_routes(Backend& backend);

}  // namespace dragoman::serve
