#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "search/engine/options.h"

namespace dragoman::serve {

// The settings of `dragoman serve`. Times are texts such as 5ms and 60s (duration.h).
struct ServeOptions {
  std::vector<std::string> models;
  std::string address = "127.0.0.1";
  int port = 5000;
  std::vector<std::string> hosts;
  int admin_port = -1;
  int beam = 4;
  int batch = 0;
  int batch_tokens = 0;
  std::string max_wait = "5ms";
  int max_queue_tokens = 200'000;
  int cache_mb = 64;
  int max_body_kb = 2048;
  int max_characters = 100'000;
  int max_texts = 1000;
  int max_alternatives = 5;
  int max_connections = 4096;
  std::string timeout = "60s";
  std::string receive_timeout = "15s";
  std::string idle_timeout = "60s";
  std::string grace = "30s";
  std::string keys;
  int rate_limit = 0;
  bool trust_proxy = false;
  std::string cors_origin;
  std::string access_log;

  template <class V>
  void visit(V& v) {
    v.section("Models");
    v("model", models,
      "a model file, or DIRECTIONS=FILE such as en-de=FILE or en-de,de-en=FILE if the file does not say its languages; "
      "repeat for more models; without any, the models that come with the program");
    v("beam", beam, "width of the beam", between(1, search::kMostHypotheses));
    v.section("Where to listen");
    v("address", address, "IP address to listen on; 0.0.0.0 and :: mean all networks of this machine");
    v("port", port, "TCP port; 0 means any free one", between(0, 65535));
    v("host", hosts,
      "a name of the server in addresses, such as translate.example.org; repeat for more names; localhost and IP "
      "addresses need not be named; requests for others are refused");
    v("admin-port", admin_port,
      "TCP port of 127.0.0.1 for /metrics and /admin/reload; 0 means any free one; -1 means neither is there",
      between(-1, 65535));
    v.section("Batches");
    v("batch", batch, "sentences that a thread decodes at a time; 0 means 32, or 256 on a GPU",
      between(0, search::kMostSentences));
    v("batch-tokens", batch_tokens,
      "tokens that are passed to a model at a time, about; 0 means 16 for each sentence that is decoded at a time",
      between(0, 1'000'000));
    v("max-wait", max_wait, "how long a sentence waits for others while its model is busy with more");
    v("cache-mb", cache_mb, "megabytes of recent translations to keep; 0 keeps none", between(0, 1'000'000));
    v.section("Limits");
    v("max-queue-tokens", max_queue_tokens,
      "tokens that may wait for the models, about; beyond that, requests are answered with 503", between(1, 1 << 30));
    v("max-body-kb", max_body_kb, "kilobytes of a request", between(1, 1 << 20));
    v("max-characters", max_characters, "characters of all texts of a request", between(1, 1 << 30));
    v("max-texts", max_texts, "texts of a request", between(1, 1'000'000));
    v("max-alternatives", max_alternatives, "alternatives that a request may ask for", between(0, 100));
    v("max-connections", max_connections,
      "open connections, of which one address may have half; beyond that, the one that has waited longest for a "
      "request "
      "is closed",
      between(1, 1'000'000));
    v("timeout", timeout, "time until a request is given up");
    v("receive-timeout", receive_timeout, "time that a client may take to send a request");
    v("idle-timeout", idle_timeout, "time that a connection may stay idle");
    v("grace", grace, "time for requests under way when the server is stopped");
    v.section("Clients");
    v("keys", keys,
      "file of API keys, one per line: the key, its requests per minute and a name, the last two optional; without it, "
      "no key is needed");
    v("rate-limit", rate_limit, "requests per minute of a client without a limit of its own; 0 means no limit",
      between(0, 1'000'000));
    v("trust-proxy", trust_proxy, "a proxy on this machine says who the client is (X-Forwarded-For)");
    v("cors-origin", cors_origin,
      "origin whose web pages may call this server besides its own, such as https://example.org, or *");
    v("access-log", access_log, "file to append one JSON object per request to; - is stdout");
  }
};

}  // namespace dragoman::serve
