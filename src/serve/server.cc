#include "serve/server.h"

#include <algorithm>

#include "run/ready_models.h"
#include "serve/duration.h"
#include "serve/endpoints.h"
#include "serve/http_server.h"
#include "serve/router.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kTaskThreads = 2;
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
  limits.memory_bytes = std::max<std::size_t>(limits.memory_bytes, 2 * limits.body_bytes);
  limits.connections = static_cast<std::size_t>(options.max_connections);
  limits.connections_per_client = std::max<std::size_t>(1, limits.connections / 2);
  limits.has_local_proxy = options.trust_proxy;
  limits.idle = limit(options.idle_timeout, "idle-timeout");
  limits.receive = limit(options.receive_timeout, "receive-timeout");
  limits.answer = limit(options.timeout, "timeout");
  limits.grace = milliseconds(options.grace, "grace");
  return limits;
}

SearchOptions search_options(const ServeOptions& options) {
  SearchOptions search;
  search.beam = options.beam;
  return search;
}

// Browsers compare origins letter by letter: a scheme, a host and perhaps a port.
void check_origin(const std::string& origin) {
  const std::size_t host = origin.starts_with("https://") ? 8 : 7;
  const bool is_origin = (host == 8 || origin.starts_with("http://")) && origin.size() > host &&
                         origin.find_first_of("/ ,*", host) == std::string::npos;
  check(origin.empty() || origin == "*" || is_origin,
        "--cors-origin {}: expected one origin such as https://example.org, without a path, or *", origin);
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
      : options_(options),
        threads_(kTaskThreads),
        loader_(1),
        service_(std::move(loader), static_cast<std::size_t>(options.max_queue_tokens), *threads_),
        files_(kFileBytes),
        log_(options.access_log),
        backend_{service_, glossaries_, files_, metrics_, options_, search_options(options)},
        router_(routes(), options_, options.keys.empty() ? Keys() : Keys::read(options.keys), *threads_, metrics_,
                log_),
        admin_(operation_routes(backend_, *loader_, [this] { return http_->connections(); }), ServeOptions(), Keys(),
               *threads_, metrics_, log_) {}
  void listen() {
    check_origin(options_.cors_origin);
    http_.emplace(HttpServer::Place{options_.address, options_.port}, http_limits(options_), router_);
    if (options_.admin_port >= 0)
      admin_http_.emplace(HttpServer::Place{.port = options_.admin_port}, http_limits(options_), admin_);
  }
  // First no more requests, then no more models, then no more threads that could use the rest.
  ~Implementation() {
    stop();
    join();
    service_.close();
    loader_.reset();
    threads_.reset();
  }

  void stop() {
    for (auto* const server : {&http_, &admin_http_})
      if (*server) (*server)->stop();
  }
  void join() {
    for (auto* const server : {&http_, &admin_http_})
      if (*server) (*server)->join();
  }

  int port() const { return http_->port(); }
  int admin_port() const { return admin_http_ ? admin_http_->port() : -1; }
  Service& service() { return service_; }
  const Router& router() const { return router_; }

 private:
  std::vector<Route> routes() {
    return joined(libre_translate_routes(backend_), deepl_routes(backend_), deepl_glossary_routes(backend_),
                  explain_routes(backend_), description_routes(), page_routes());
  }

  ServeOptions options_;
  std::optional<HttpServer> http_, admin_http_;  // outlive the requests that threads still hold
  std::optional<TaskThreads> threads_, loader_;
  Service service_;
  Glossaries glossaries_;
  FileStore files_;
  Metrics metrics_;
  AccessLog log_;
  Backend backend_;
  Router router_, admin_;
};

Server::Server(const ServeOptions& options, const ComputeOptions& compute)
    : Server(options, model_loader(options, compute)) {}

Server::Server(const ServeOptions& options, Service::Loader loader)
    : implementation_(std::make_unique<Implementation>(options, std::move(loader))) {
  implementation_->listen();
}

Server::~Server() = default;

int Server::port() const { return implementation_->port(); }
int Server::admin_port() const { return implementation_->admin_port(); }
std::shared_ptr<const ModelSet> Server::models() const { return implementation_->service().models(); }
const std::vector<Route>& Server::routes() const { return implementation_->router().routes(); }
void Server::reload() { implementation_->service().reload(); }
void Server::stop() { implementation_->stop(); }
void Server::join() { implementation_->join(); }

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
