#include "serve/libre_translate.h"

#include <algorithm>

#include "serve/languages.h"
#include "serve/text_task.h"
#include "serve/url_encoding.h"

namespace dragoman::serve {
namespace {

using Json = nlohmann::ordered_json;
using CallPointer = std::shared_ptr<Call>;

Json to_json(const DetectedLanguage& detected) {
  return {{"confidence", detected.confidence}, {"language", detected.language}};
}

// The languages of the request: one source for each text.
struct Languages {
  std::string target;
  bool is_detected = false;
  std::vector<DetectedLanguage> sources;
};

Languages find_languages(const ModelSet& models, const Fields& fields, const std::vector<std::string>& texts) {
  Languages languages;
  const std::string source = fields.text("source");
  languages.target = require_language(fields.text("target"), models.targets());
  languages.is_detected = source == "auto";
  if (!languages.is_detected) {
    languages.sources.assign(texts.size(), {require_language(source, models.sources()), 100});
    return languages;
  }
  const std::vector<std::string> candidates = models.sources_of(languages.target);
  for (const std::string& text : texts) languages.sources.push_back(detect_among(text, candidates));
  return languages;
}

// A list of one result per text, or the only one.
Json list_or_single(std::vector<Json> results, bool is_list) {
  return is_list ? Json(std::move(results)) : results.empty() ? Json() : std::move(results.front());
}

TextTask make_task(const Backend& backend, Call& call, const Languages& languages, std::vector<std::string> texts) {
  TextTask task;
  task.target = languages.target;
  for (std::size_t i = 0; i < texts.size(); ++i)
    task.texts.push_back({std::move(texts[i]), languages.sources[i].language});
  if (!task.texts.empty()) task.terms = find_terms(backend, call, {task.texts[0].source, task.target});
  return task;
}

void translate(Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  std::vector<std::string> texts = fields.texts("q");
  const std::size_t characters = check_texts(backend.limits, texts);
  const Languages languages = find_languages(*backend.service.models(), fields, texts);
  TextTask task = make_task(backend, *call, languages, std::move(texts));
  task.format = format_of_name(fields.text_or("format", "text"));
  task.alternatives = fields.integer_or("alternatives", 0, 0, backend.limits.alternatives);
  backend.metrics.count_characters(characters);
  backend.usage.add(call->client(), characters);
  translate_texts(backend, call, task,
                  [call, languages, is_list = fields.is_list("q"),
                   alternatives = task.alternatives](const std::vector<TranslatedText>& translated) {
                    std::vector<Json> best, others, detected;
                    for (const TranslatedText& text : translated) {
                      best.push_back(text.text);
                      others.push_back(text.alternatives);
                    }
                    for (const DetectedLanguage& source : languages.sources) detected.push_back(to_json(source));
                    Json json;
                    if (alternatives > 0) json["alternatives"] = list_or_single(std::move(others), is_list);
                    if (languages.is_detected) json["detectedLanguage"] = list_or_single(std::move(detected), is_list);
                    json["translatedText"] = list_or_single(std::move(best), is_list);
                    call->respond(json);
                  });
}

void detect(const Backend& backend, const CallPointer& call) {
  const std::string text = call->fields().text("q");
  check_texts(backend.limits, {text});
  Json found = Json::array();
  for (const DetectedLanguage& detected : detect_languages(text)) found.push_back(to_json(detected));
  if (found.empty()) found.push_back(to_json(detect_among(text, backend.service.models()->sources())));
  call->respond(found);
}

void list_languages(const Backend& backend, const CallPointer& call) {
  const auto models = backend.service.models();
  std::vector<std::string> codes = models->sources();
  for (const std::string& target : models->targets())
    if (std::find(codes.begin(), codes.end(), target) == codes.end()) codes.push_back(target);
  Json list = Json::array();
  for (const std::string& code : codes)
    list.push_back({{"code", code}, {"name", language_name(code)}, {"targets", models->targets_of(code)}});
  call->respond(list);
}

void show_settings(const Backend& backend, const CallPointer& call) {
  const auto models = backend.service.models();
  const std::string target = models->targets().front();
  call->respond({{"apiKeys", backend.requires_keys},
                 {"charLimit", backend.limits.characters},
                 {"filesTranslation", true},
                 {"frontendTimeout", 500},
                 {"keyRequired", backend.requires_keys},
                 {"language",
                  {{"source", {{"code", "auto"}, {"name", "Auto Detect"}}},
                   {"target", {{"code", target}, {"name", language_name(target)}}}}},
                 {"suggestions", false},
                 {"supportedFilesFormat", file_endings()}});
}

// The address that the client itself used, for the link to a file.
std::string own_address(const HttpRequest& request) {
  const std::string host(request.header("host"));
  const bool good = !host.empty() && host.find_first_not_of(
                                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789.-:[]") == std::string::npos;
  const bool secure = request.is_local && request.header("x-forwarded-proto") == "https";
  return good ? (secure ? "https://" : "http://") + host : "";
}

void translate_file(Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  const FormPart& file = fields.file("file");
  const document::Format format = format_of_file(file.file_name);
  const std::vector<std::string> texts = {file.content};
  const std::size_t characters = check_texts(backend.limits, texts);
  const Languages languages = find_languages(*backend.service.models(), fields, texts);
  TextTask task = make_task(backend, *call, languages, texts);
  task.format = format;
  backend.metrics.count_characters(characters);
  backend.usage.add(call->client(), characters);
  const std::string ending = ending_of_file(file.file_name);
  translate_texts(backend, call, task, [&backend, call, ending](const std::vector<TranslatedText>& translated) {
    const std::string id = backend.files.add({"translation" + ending, translated.front().text});
    call->respond({{"translatedFileUrl", own_address(call->request()) + "/download_file/" + id}});
  });
}

void download_file(const Backend& backend, const CallPointer& call) {
  const std::optional<FileStore::File> file = backend.files.find(call->parameter(0));
  if (!file || !file->key.empty()) throw HttpError(404, "there is no such file, or not any more");
  call->respond(HttpResponse{.type = "application/octet-stream",
                             .body = file->content,
                             .headers = {{"Content-Disposition", "attachment; filename=\"" + file->name + "\""}}});
}

}  // namespace

std::vector<Route> libre_translate_routes(Backend& backend) {
  return {
      {"POST", "/translate", Access::clients, [&backend](const CallPointer& call) { translate(backend, call); }},
      {"POST", "/detect", Access::clients, [&backend](const CallPointer& call) { detect(backend, call); }},
      {"GET", "/languages", Access::everybody, [&backend](const CallPointer& call) { list_languages(backend, call); }},
      {"GET", "/frontend/settings", Access::everybody,
       [&backend](const CallPointer& call) { show_settings(backend, call); }},
      {"POST", "/translate_file", Access::clients,
       [&backend](const CallPointer& call) { translate_file(backend, call); }},
      {"GET", "/download_file/{}", Access::everybody,
       [&backend](const CallPointer& call) { download_file(backend, call); }},
  };
}

}  // namespace dragoman::serve
