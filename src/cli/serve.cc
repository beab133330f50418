#include <optional>

#include "base/log.h"
#include "cli/command.h"
#include "serve/server.h"
#include "serve/signals.h"

namespace dragoman::cli {
namespace {

// For what is left when the requests under way have had their time.
constexpr std::chrono::seconds kStopLimit{5};

int serve_models(const serve::ServeOptions& options, const Words& words, const ComputeOptions& compute) {
  expect_words(words, 0, "expected nothing but flags");
  serve::Signals signals;
  serve::raise_file_limit();
  std::optional<serve::StopDeadline> deadline;  // outlives the server
  serve::Server server(options, compute);
  for (const auto& direction : server.models()->directions())
    log::info("{} translates {}", direction.model, direction.pair.show());
  log::info("listening on http://{}:{}",
            options.address.find(':') == std::string::npos ? options.address : "[" + options.address + "]",
            server.port());
  if (server.admin_port() >= 0) log::info("metrics and reloads on http://127.0.0.1:{}", server.admin_port());
  signals.wait([&] {
    try {
      server.reload();
      log::info("the models were replaced");
    } catch (const Error& error) {
      log::error("the models stay as they are: {}", error.what());
    }
  });
  log::info("finishing the requests under way");
  server.stop();
  server.join();
  deadline.emplace(kStopLimit);
  return 0;
}

int run_serve(const Command& self, const Words& arguments) {
  return run_with<serve::ServeOptions>(self, arguments, serve_models);
}

}  // namespace

extern const Command serve_command{
    "serve",
    "[--model FILE]",
    "answers translation requests over HTTP",
    run_serve,
    describe_options<serve::ServeOptions, ComputeOptions>,
    "# the models that come with the program, on http://127.0.0.1:5000, as LibreTranslate and DeepL do\n"
    "dragoman serve\n"
    "# your own\n"
    "dragoman serve --model en-de=en-de.safetensors --model de-en=de-en.safetensors\n"
    "# for other machines, with keys and a log\n"
    "dragoman serve --model many.safetensors --address 0.0.0.0 --keys keys.txt --access-log -"};

}  // namespace dragoman::cli
