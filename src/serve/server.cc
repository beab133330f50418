#include "serve/server.h"

#include <algorithm>

#include "run/ready_models.h"
#include "serve/deepl.h"
#include "serve/deepl_glossaries.h"
#include "serve/duration.h"
#include "serve/explain.h"
#include "serve/http_server.h"
#include "serve/libre_translate.h"
#include "serve/openapi.h"
#include "serve/operations.h"
#include "serve/page_files.h"
#include "serve/router.h"

namespace dragoman::serve {
namespace {

constexpr int kTaskThreads = 2;
constexpr std::size_t kFileBytes = 64 << 20;
constexpr std::size_t kMegabyte = 1 << 20;

std::chrono::milliseconds milliseconds(const std::string& text, const char* setting) {
  return std::chrono::ceil<std::chrono::milliseconds>(parse_duration(text, setting));
}

// A time limit; with none at all, no request could be answered.
std::chrono::milliseconds limit(const std::string& text, const char* setting) {
  const std::chrono::milliseconds time = milliseconds(text, setting);
  check(time.count() > 0, "--{} {}: expected more than 0", setting, text);
  return time;
}

HttpLimits http_limits(const ServeOptions& options) {
  HttpLimits limits;
  limits.body_bytes = static_cast<std::uint64_t>(options.max_body_kb) << 10;
  limits.all_body_bytes = std::max(limits.all_body_bytes, limits.body_bytes);
  limits.connections = static_cast<std::size_t>(options.max_connections);
  limits.connections_per_client = std::max<std::size_t>(1, limits.connections / 2);
  limits.has_local_proxy = options.trust_proxy;
  limits.idle = limit(options.idle_timeout, "idle-timeout");
  limits.receive = limit(options.receive_timeout, "receive-timeout");
  limits.answer = limit(options.timeout, "timeout");
  limits.grace = milliseconds(options.grace, "grace");
  return limits;
}

RequestLimits request_limits(const ServeOptions& options) {
  return {static_cast<std::size_t>(options.max_characters), static_cast<std::size_t>(options.max_texts),
          options.max_alternatives};
}

SearchOptions search_options(const ServeOptions& options) {
  SearchOptions search;
  search.beam = options.beam;
  return search;
}

// Browsers compare origins letter by letter: a scheme, a host and perhaps a port.
std::string checked_origin(const std::string& origin) {
  const std::size_t host = origin.starts_with("https://") ? 8 : 7;
  const bool is_origin = (host == 8 || origin.starts_with("http://")) && origin.size() > host &&
                         origin.find_first_of("/ ,*", host) == std::string::npos;
  check(origin.empty() || origin == "*" || is_origin,
        "--cors-origin {}: expected one origin such as https://example.org, without a path, or *", origin);
  return origin;
}

template <class... Lists>
std::vector<Route> joined(Lists... lists) {
  std::vector<Route> all;
  (all.insert(all.end(), lists.begin(), lists.end()), ...);
  return all;
}

}  // namespace

class Server::Implementation {
 public:
  Implementation(const ServeOptions& options, Service::Loader loader)
      : threads_(kTaskThreads),
        loader_(1),
        service_(std::move(loader), static_cast<std::size_t>(options.max_queue_tokens), *threads_),
        files_(kFileBytes),
        log_(options.access_log),
        backend_{service_,
                 glossaries_,
                 files_,
                 metrics_,
                 usage_,
                 request_limits(options),
                 search_options(options),
                 !options.keys.empty()},
        router_(routes(), {checked_origin(options.cors_origin), options.rate_limit, options.trust_proxy},
                options.keys.empty() ? Keys() : Keys::read(options.keys), *threads_, metrics_, log_) {
    http_.emplace(
        HttpServer::Place{options.address, options.port}, http_limits(options),
        [this](const std::shared_ptr<Exchange>& exchange) { router_.handle(exchange); },
        [this](const HttpRequest& request, const HttpError& error) { return router_.error_page(request, error); });
  }
  // First no more requests, then no more models, then no more threads that could use the rest.
  ~Implementation() {
    if (http_) {
      http_->stop();
      http_->join();
    }
    service_.close();
    loader_.reset();
    threads_.reset();
  }

  HttpServer& http() { return *http_; }
  Service& service() { return service_; }
  const Router& router() const { return router_; }

 private:
  std::vector<Route> routes() {
    return joined(libre_translate_routes(backend_), deepl_routes(backend_), deepl_glossary_routes(backend_),
                  explain_routes(backend_),
                  operation_routes(backend_, *loader_, [this] { return http_->connections(); }), openapi_routes(),
                  page_routes());
  }

  std::optional<HttpServer> http_;
  std::optional<TaskThreads> threads_, loader_;
  Service service_;
  Glossaries glossaries_;
  FileStore files_;
  Metrics metrics_;
  UsageCounts usage_;
  AccessLog log_;
  Backend backend_;
  Router router_;
};

Server::Server(const ServeOptions& options, const ComputeOptions& compute)
    : Server(options, model_loader(options, compute)) {}

Server::Server(const ServeOptions& options, Service::Loader loader)
    : implementation_(std::make_unique<Implementation>(options, std::move(loader))) {}

Server::~Server() = default;

int Server::port() const { return implementation_->http().port(); }
std::shared_ptr<const ModelSet> Server::models() const { return implementation_->service().models(); }
const std::vector<Route>& Server::routes() const { return implementation_->router().routes(); }
void Server::reload() { implementation_->service().reload(); }
void Server::stop() { implementation_->http().stop(); }
void Server::join() { implementation_->http().join(); }

Service::Loader model_loader(const ServeOptions& options, const ComputeOptions& compute) {
  std::vector<ModelName> names;
  for (const std::string& model : options.models) names.push_back(ModelName::parse(model));
  if (names.empty())
    for (const run::ReadyModel& model : run::ready_models()) names.push_back({model.file, {model.languages}});
  check(!names.empty(), "expected a model: dragoman serve --model FILE (this program came without models)");
  TranslatorOptions translator;
  translator.device = compute.device;
  translator.precision = compute.precision;
  translator.threads = compute.threads;
  translator.batch = options.batch;
  const BatchLimits batches{static_cast<std::size_t>(options.batch_tokens),
                            parse_duration(options.max_wait, "max-wait")};
  const std::size_t cache_bytes = static_cast<std::size_t>(options.cache_mb) * kMegabyte;
  return [=] { return load_models(names, translator, batches, cache_bytes); };
}

}  // namespace dragoman::serve
