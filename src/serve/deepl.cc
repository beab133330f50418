#include "serve/endpoints.h"

#include "base/join.h"
#include "base/random_id.h"
#include "data/utf8.h"
#include "serve/downloads.h"
#include "serve/text_task.h"
#include "text/language_codes.h"

namespace dragoman::serve {
namespace {

using Json = nlohmann::ordered_json;
using CallPointer = std::shared_ptr<Call>;

// There is no quota; clients expect a number.
constexpr std::uint64_t kNoLimit = 1'000'000'000'000;
// Of each list of tags; every text of a request needs its own copy.
constexpr std::size_t kMostTags = 200;

// The fields of DeepL that say what to do with texts. Those about style (formality, context, model_type, ...) are
// accepted and change nothing.
TextTask read_task(const Backend& backend, Call& call, std::vector<std::string> texts, document::Format format) {
  const Fields& fields = call.fields();
  return make_task(backend, call,
                   {std::move(texts), fields.text_or("source_lang", ""), fields.text("target_lang"), format});
}

// Where sentences end, and the tags that matter for it.
document::Options read_parsing(const Fields& fields) {
  document::Options options;
  const std::string split = fields.text_or("split_sentences", "1");
  if (split == "0") options.split = document::Split::lines;
  if (split == "nonewlines") options.split = document::Split::paragraphs;
  const auto tags = [&](const char* key) {
    const std::vector<std::string> given = fields.has(key) ? fields.texts(key) : std::vector<std::string>();
    std::vector<std::string> names = split_list(given);
    if (names.size() > kMostTags) throw HttpError(400, fmt::format("{} may have {} tags", key, kMostTags));
    return names;
  };
  options.ignored = tags("ignore_tags");
  options.splitting = tags("splitting_tags");
  options.non_splitting = tags("non_splitting_tags");
  options.outline = fields.flag_or("outline_detection", true);
  return options;
}

void translate(Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  const std::string tags = fields.text_or("tag_handling", "");
  TextTask task = read_task(backend, *call, fields.texts("text"), format_of_name(tags.empty() ? "text" : tags));
  task.parsing = read_parsing(fields);
  std::vector<std::string> sources;
  std::vector<std::size_t> billed;
  for (const TextTask::Text& text : task.texts) {
    sources.push_back(text::upper_code(text.source.language));
    billed.push_back(data::count_characters(text.text));
  }
  translate_texts(backend, call, std::move(task), [=](const std::vector<TranslatedText>& translated) {
    Json translations = Json::array();
    for (std::size_t i = 0; i < translated.size(); ++i)
      translations.push_back(
          {{"detected_source_language", sources[i]}, {"text", translated[i].text}, {"billed_characters", billed[i]}});
    call->respond({{"translations", translations}});
  });
}

// A document is translated before its upload is answered, so its status is always "done".
void upload_document(Backend& backend, const CallPointer& call) {
  const FormPart& file = call->fields().file("file");
  const std::string name = call->fields().text_or("filename", file.file_name);
  TextTask task = read_task(backend, *call, {file.content}, format_of_file(name));
  const std::string translated_name = name_of_translation(name, task.texts.front().source.language, task.target);
  translate_texts(
      backend, call, std::move(task), [&backend, call, translated_name](const std::vector<TranslatedText>& done) {
        const std::string key = random_id();
        const std::string id =
            backend.files.add(call->caller().client, {translated_name, done.front().text, key, call->caller().owner});
        call->respond({{"document_id", id}, {"document_key", key}});
      });
}

FileStore::File find_document(const Backend& backend, Call& call) {
  const std::optional<FileStore::File> file = backend.files.find(call.parameter(0));
  const bool is_theirs = file && !file->key.empty() && file->owner == call.caller().owner &&
                         file->key == call.fields().text_or("document_key", "");
  if (!is_theirs) throw HttpError(404, "there is no such document, or not any more");
  return *file;
}

void show_document(const Backend& backend, const CallPointer& call) {
  const FileStore::File file = find_document(backend, *call);
  call->respond({{"document_id", call->parameter(0)},
                 {"status", "done"},
                 {"billed_characters", data::count_characters(file.content)}});
}

void download_document(const Backend& backend, const CallPointer& call) {
  call->respond(as_download(find_document(backend, *call)));
}

// Languages with regional variants; clients refuse the bare code as a target.
std::vector<std::pair<std::string, std::string>> variants_of(const std::string& code) {
  if (code == "en") return {{"EN-GB", "English (British)"}, {"EN-US", "English (American)"}};
  if (code == "pt") return {{"PT-PT", "Portuguese (European)"}, {"PT-BR", "Portuguese (Brazilian)"}};
  return {{text::upper_code(code), text::language_name(code)}};
}

void list_languages(const Backend& backend, const CallPointer& call) {
  const auto models = backend.service.models();
  const std::string type = call->fields().text_or("type", "source");
  if (type != "source" && type != "target") throw HttpError(400, "type must be source or target");
  Json list = Json::array();
  if (type == "source")
    for (const std::string& code : models->sources())
      list.push_back({{"language", text::upper_code(code)}, {"name", text::language_name(code)}});
  else
    for (const std::string& code : models->targets())
      for (const auto& [language, name] : variants_of(code))
        list.push_back({{"language", language}, {"name", name}, {"supports_formality", false}});
  call->respond(list);
}

void show_usage(const Backend& backend, const CallPointer& call) {
  call->respond({{"character_count", backend.metrics.characters(call->caller().key)}, {"character_limit", kNoLimit}});
}

}  // namespace

std::vector<Route> deepl_routes(Backend& backend) {
  const auto languages = [&backend](const CallPointer& call) { list_languages(backend, call); };
  const auto usage = [&backend](const CallPointer& call) { show_usage(backend, call); };
  return {
      {"POST", "/v2/translate", Access::clients, [&backend](const CallPointer& call) { translate(backend, call); }},
      {"POST", "/v2/document", Access::clients,
       [&backend](const CallPointer& call) { upload_document(backend, call); }},
      {"POST", "/v2/document/{}", Access::clients,
       [&backend](const CallPointer& call) { show_document(backend, call); }},
      {"POST", "/v2/document/{}/result", Access::clients,
       [&backend](const CallPointer& call) { download_document(backend, call); }},
      {"GET", "/v2/languages", Access::clients, languages},
      {"POST", "/v2/languages", Access::clients, languages},
      {"GET", "/v2/usage", Access::clients, usage},
      {"POST", "/v2/usage", Access::clients, usage},
  };
}

}  // namespace dragoman::serve
