#pragma once

#include <cstddef>
#include <memory>

#include "serve/file_store.h"
#include "serve/glossaries.h"
#include "serve/metrics.h"
#include "serve/service.h"
#include "serve/usage_counts.h"

namespace dragoman::serve {

// What one request may ask for.
struct RequestLimits {
  std::size_t characters = 100'000;  // of all texts together
  std::size_t texts = 1000;
  int alternatives = 5;
};

// What all endpoints work with.
struct Backend {
  Service& service;
  Glossaries& glossaries;
  FileStore& files;
  Metrics& metrics;
  UsageCounts& usage;
  RequestLimits limits;
  SearchOptions search;
  bool requires_keys = false;
};

}  // namespace dragoman::serve
