#pragma once

#include <vector>

#include "serve/backend.h"
#include "serve/router.h"

namespace dragoman::serve {

// DeepL's endpoints for glossaries: with one direction (/v2) and with several (/v3). The backend must outlive them.
std::vector<Route> deepl_glossary_routes(Backend& backend);

}  // namespace dragoman::serve
