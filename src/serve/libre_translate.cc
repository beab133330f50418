#include "serve/endpoints.h"

#include <algorithm>

#include "serve/downloads.h"
#include "serve/text_task.h"
#include "serve/url_encoding.h"
#include "text/language_codes.h"

namespace dragoman::serve {
namespace {

using Json = nlohmann::ordered_json;
using CallPointer = std::shared_ptr<Call>;

Json to_json(const DetectedLanguage& detected) {
  return {{"confidence", detected.confidence}, {"language", detected.language}};
}

// A list of one result per text, or the only one.
Json list_or_single(std::vector<Json> results, bool is_list) {
  return is_list ? Json(std::move(results)) : results.empty() ? Json() : std::move(results.front());
}

TextTask read_libre_task(const Backend& backend, Call& call, std::vector<std::string> texts, document::Format format) {
  const std::string source = call.fields().text("source");
  return make_task(backend, call,
                   {std::move(texts), source == "auto" ? "" : source, call.fields().text("target"), format});
}

void translate_text(Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  TextTask task = read_libre_task(backend, *call, fields.texts("q"), format_of_name(fields.text_or("format", "text")));
  task.alternatives = fields.integer_or("alternatives", 0, 0, backend.options.max_alternatives);
  std::vector<Json> detected;
  if (fields.text("source") == "auto")
    for (const TextTask::Text& text : task.texts) detected.push_back(to_json(text.source));
  const auto respond = [call, detected, is_list = fields.is_list("q"),
                        alternatives = task.alternatives](const std::vector<TranslatedText>& translated) {
    std::vector<Json> best, others;
    for (const TranslatedText& text : translated) {
      best.push_back(text.text);
      others.push_back(text.alternatives);
    }
    Json json;
    if (alternatives > 0) json["alternatives"] = list_or_single(std::move(others), is_list);
    if (!detected.empty()) json["detectedLanguage"] = list_or_single(detected, is_list);
    json["translatedText"] = list_or_single(std::move(best), is_list);
    call->respond(json);
  };
  translate_texts(backend, call, std::move(task), respond);
}

void detect(const Backend& backend, const CallPointer& call) {
  const std::string text = call->fields().text("q");
  check_texts(backend, {text});
  Json found = Json::array();
  for (const DetectedLanguage& detected : detect_languages(text)) found.push_back(to_json(detected));
  if (found.empty()) found.push_back(to_json(detect_among(text, backend.service.models()->sources())));
  call->respond(found);
}

void list_directions(const Backend& backend, const CallPointer& call) {
  const auto models = backend.service.models();
  std::vector<std::string> codes = models->sources();
  for (const std::string& target : models->targets())
    if (std::find(codes.begin(), codes.end(), target) == codes.end()) codes.push_back(target);
  Json list = Json::array();
  for (const std::string& code : codes)
    list.push_back({{"code", code}, {"name", text::language_name(code)}, {"targets", models->targets_of(code)}});
  call->respond(list);
}

void show_settings(const Backend& backend, const CallPointer& call) {
  const auto models = backend.service.models();
  const std::string target = models->targets().front();
  call->respond({{"apiKeys", !backend.options.keys.empty()},
                 {"charLimit", backend.options.max_characters},
                 {"filesTranslation", true},
                 {"frontendTimeout", 500},
                 {"keyRequired", !backend.options.keys.empty()},
                 {"language",
                  {{"source", {{"code", "auto"}, {"name", "Auto Detect"}}},
                   {"target", {{"code", target}, {"name", text::language_name(target)}}}}},
                 {"suggestions", false},
                 {"supportedFilesFormat", file_endings()}});
}

// Whether a header may become part of an address: it has letters, digits and these marks only.
bool is_plain(std::string_view text, std::string_view marks) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  });
}

// The address that the client itself used, for the link to a file. A proxy on this machine says what it has changed.
std::string own_address(const HttpRequest& request) {
  const auto from_proxy = [&](const char* name) { return request.is_local ? request.header(name) : ""; };
  std::string_view prefix = from_proxy("x-forwarded-prefix");
  if (!prefix.starts_with('/') || prefix.starts_with("//") || !is_plain(prefix, "/-._~")) prefix = "";
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  const std::string_view host = request.header("host");
  if (host.empty() || !is_plain(host, ".-:[]")) return std::string(prefix);
  return fmt::format("{}://{}{}", from_proxy("x-forwarded-proto") == "https" ? "https" : "http", host, prefix);
}

void translate_file(Backend& backend, const CallPointer& call) {
  const FormPart& file = call->fields().file("file");
  TextTask task = read_libre_task(backend, *call, {file.content}, format_of_file(file.file_name));
  const std::string name = name_of_translation(file.file_name, task.texts.front().source.language, task.target);
  translate_texts(backend, call, std::move(task),
                  [&backend, call, name](const std::vector<TranslatedText>& translated) {
                    const std::string id = backend.files.add(call->caller().client, {name, translated.front().text});
                    call->respond({{"translatedFileUrl", own_address(call->request()) + "/download_file/" + id}});
                  });
}

void download_file(const Backend& backend, const CallPointer& call) {
  const std::optional<FileStore::File> file = backend.files.find(call->parameter(0));
  if (!file || !file->key.empty()) throw HttpError(404, "there is no such file, or not any more");
  call->respond(as_download(*file));
}

}  // namespace

std::vector<Route> libre_translate_routes(Backend& backend) {
  return {
      {"POST", "/translate", Access::clients, [&backend](const CallPointer& call) { translate_text(backend, call); }},
      {"POST", "/detect", Access::clients, [&backend](const CallPointer& call) { detect(backend, call); }},
      {"GET", "/languages", Access::everybody, [&backend](const CallPointer& call) { list_directions(backend, call); }},
      {"GET", "/frontend/settings", Access::everybody,
       [&backend](const CallPointer& call) { show_settings(backend, call); }},
      {"POST", "/translate_file", Access::clients,
       [&backend](const CallPointer& call) { translate_file(backend, call); }},
      {"GET", "/download_file/{}", Access::everybody,
       [&backend](const CallPointer& call) { download_file(backend, call); }},
  };
}

}  // namespace dragoman::serve
