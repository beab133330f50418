#pragma once

#include <functional>
#include <vector>

#include "serve/backend.h"
#include "serve/router.h"

// The endpoints of a server. What they are given must outlive them.
namespace dragoman::serve {

// LibreTranslate's: /translate, /detect, /languages, /translate_file, /frontend/settings.
std::vector<Route> libre_translate_routes(Backend& backend);
// DeepL's for texts and documents: /v2/translate, /v2/document, /v2/languages, /v2/usage.
std::vector<Route> deepl_routes(Backend& backend);
// DeepL's for glossaries: with one direction (/v2) and with several (/v3).
std::vector<Route> deepl_glossary_routes(Backend& backend);
// POST /v1/explain: how a translation came about. GET /v1/models: the models that can be named there.
std::vector<Route> explain_routes(Backend& backend);
// GET /openapi.json: all of these, described by OpenAPI (openapi.json in this folder). GET /health.
std::vector<Route> description_routes();
// The files of src/serve/page, compiled in: each under its own name, index.html also as /.
std::vector<Route> page_routes();

// For the administrator: /metrics, /admin/reload. `connections` says how many are open. Models are loaded by
// `loader`, in the background, so requests do not wait for them.
std::vector<Route> operation_routes(Backend& backend, TaskThreads& loader, std::function<std::size_t()> connections);

}  // namespace dragoman::serve
