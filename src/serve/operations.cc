#include "serve/endpoints.h"

#include <nlohmann/json.hpp>

#include "base/log.h"

namespace dragoman::serve {
namespace {

using CallPointer = std::shared_ptr<Call>;

std::string write_metrics(const Backend& backend, std::size_t connections) {
  const auto models = backend.service.models();
  const BatchQueue::Counts batches = models->counts();
  const TranslationCache::Counts cache = models->cache().counts();
  const auto number = [](auto value) { return static_cast<double>(value); };
  return backend.metrics.write({
      {"dragoman_connections", "gauge", "Open connections.", number(connections)},
      {"dragoman_requests_in_progress", "gauge", "Requests accepted and not translated yet.",
       number(backend.service.load().count())},
      {"dragoman_waiting_tokens", "gauge", "Their tokens, about.", number(backend.service.load().total())},
      {"dragoman_texts_waiting", "gauge", "Sentences that wait for a batch.", number(batches.waiting)},
      {"dragoman_texts_in_progress", "gauge", "Sentences in the models.", number(batches.underway)},
      {"dragoman_batches_total", "counter", "Batches passed to the models.", number(batches.batches)},
      {"dragoman_texts_total", "counter", "Sentences passed to the models.", number(batches.texts)},
      {"dragoman_cache_hits_total", "counter", "Sentences found in the cache.", number(cache.hits)},
      {"dragoman_cache_misses_total", "counter", "Sentences not found in the cache.", number(cache.misses)},
      {"dragoman_cache_bytes", "gauge", "Size of the cache.", number(cache.bytes)},
      {"dragoman_cache_entries", "gauge", "Sentences in the cache.", number(cache.entries)},
  });
}

void reload(Backend& backend, const CallPointer& call) {
  try {
    backend.service.reload();
  } catch (const Error& error) {
    log::error("the models cannot be replaced: {}", error.what());
    throw HttpError(500, std::string("the models stay as they are: ") + error.what());
  }
  log::info("the models were replaced");
  call->respond({{"status", "ok"}});
}

}  // namespace

std::vector<Route> operation_routes(Backend& backend, TaskThreads& loader, std::function<std::size_t()> connections) {
  return {
      {"GET", "/metrics", Access::everybody,
       [&backend, connections = std::move(connections)](const CallPointer& call) {
         call->respond(HttpResponse{.type = "text/plain; version=0.0.4; charset=utf-8",
                                    .body = write_metrics(backend, connections())});
       },
       true},
      {"POST", "/admin/reload", Access::everybody,
       [&backend, &loader](const CallPointer& call) {
         loader.post([&backend, call] { call->attempt([&] { reload(backend, call); }); });
       }},
  };
}

}  // namespace dragoman::serve
