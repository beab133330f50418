#pragma once

#include "serve/file_store.h"
#include "serve/glossaries.h"
#include "serve/metrics.h"
#include "serve/options.h"
#include "serve/service.h"

namespace dragoman::serve {

// What all endpoints work with.
struct Backend {
  Service& service;
  Glossaries& glossaries;
  FileStore& files;
  Metrics& metrics;
  const ServeOptions& options;
  SearchOptions search;
};

}  // namespace dragoman::serve
