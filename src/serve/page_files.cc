#include "serve/endpoints.h"

#include <array>

namespace dragoman::serve {
namespace {

struct PageFile {
  const char *path, *content;
};

constexpr PageFile kFiles[] = {
#include "serve/page_list.inc"
};

constexpr std::pair<std::string_view, const char*> kTypes[] = {{".html", "text/html; charset=utf-8"},
                                                               {".css", "text/css; charset=utf-8"},
                                                               {".js", "text/javascript; charset=utf-8"},
                                                               {".json", "application/json"},
                                                               {".svg", "image/svg+xml"}};

const char* type_of(std::string_view path) {
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "text/plain; charset=utf-8";
}

Route route_to(const char* path, const PageFile& file) {
  return {"GET", path, Access::everybody, [&file](const std::shared_ptr<Call>& call) {
            call->respond(HttpResponse{
                .type = type_of(file.path), .body = file.content, .headers = {{"Cache-Control", "no-cache"}}});
          }};
}

}  // namespace

std::vector<Route> page_routes() {
  std::vector<Route> routes;
  for (const PageFile& file : kFiles) {
    if (std::string_view(file.path) == "/index.html") routes.push_back(route_to("/", file));
    routes.push_back(route_to(file.path, file));
  }
  return routes;
}

}  // namespace dragoman::serve
