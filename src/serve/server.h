#pragma once

#include <memory>

#include "serve/options.h"
#include "serve/router.h"
#include "serve/service.h"
#include "tensor/placement.h"

namespace dragoman::serve {

// A translation server: models, endpoints and HTTP, put together. It serves until it is destroyed.
class Server {
 public:
  // Throws Error if a model cannot be loaded or the address cannot be used.
  Server(const ServeOptions& options, const ComputeOptions& compute);
  // With other models, for tests.
  Server(const ServeOptions& options, Service::Loader loader);
  // Like stop() and join().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  int admin_port() const;  // -1 if there is none
  std::shared_ptr<const ModelSet> models() const;
  const std::vector<Route>& routes() const;
  void reload();
  // Finishes the requests that were accepted and takes no others.
  void stop();
  void join();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// How the options say to load models.
Service::Loader model_loader(const ServeOptions& options, const ComputeOptions& compute);

}  // namespace dragoman::serve
