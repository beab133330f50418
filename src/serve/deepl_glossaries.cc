#include "serve/endpoints.h"

#include "serve/term_collector.h"
#include "serve/text_task.h"
#include "text/language_codes.h"

namespace dragoman::serve {
namespace {

using Json = nlohmann::ordered_json;
using CallPointer = std::shared_ptr<Call>;

text::LanguagePair read_pair(const Backend& backend, const std::string& source, const std::string& target) {
  const auto models = backend.service.models();
  return {require_language(source, models->sources()), require_language(target, models->targets())};
}

text::LanguagePair read_pair(const Backend& backend, const Fields& fields) {
  return read_pair(backend, fields.text("source_lang"), fields.text("target_lang"));
}

Glossary::Dictionary read_dictionary(const Backend& backend, const Fields& fields) {
  return {read_pair(backend, fields), parse_terms(fields.text("entries"), fields.text_or("entries_format", "tsv"))};
}

// The list `dictionaries` of a request; empty if there is none.
std::vector<Glossary::Dictionary> read_dictionaries(const Backend& backend, const Fields& fields) {
  constexpr std::size_t kMost = 100;
  const nlohmann::json& list = fields.value("dictionaries");
  std::vector<Glossary::Dictionary> dictionaries;
  if (list.is_null()) return dictionaries;
  const auto text = [](const nlohmann::json& from, const char* key, const char* usual) {
    const auto found = from.find(key);
    if (found == from.end() && usual != nullptr) return std::string(usual);
    if (found == from.end() || !found->is_string()) throw HttpError(400, fmt::format("a dictionary needs {}", key));
    return found->get<std::string>();
  };
  if (!list.is_array() || list.size() > kMost) throw HttpError(400, "dictionaries must be a list");
  for (const nlohmann::json& entry : list) {
    if (!entry.is_object()) throw HttpError(400, "a dictionary must be an object");
    dictionaries.push_back(
        {read_pair(backend, text(entry, "source_lang", nullptr), text(entry, "target_lang", nullptr)),
         parse_terms(text(entry, "entries", nullptr), text(entry, "entries_format", "tsv"))});
  }
  return dictionaries;
}

Json describe(const Glossary::Dictionary& dictionary) {
  return {{"source_lang", dictionary.pair.source},
          {"target_lang", dictionary.pair.target},
          {"entry_count", dictionary.terms->all().size()}};
}

// With one direction, as /v2 shows it.
Json describe_single(const Glossary& glossary) {
  Json json = {{"glossary_id", glossary.id}, {"name", glossary.name}, {"ready", true}};
  json.update(describe(glossary.dictionaries.front()));
  json["creation_time"] = glossary.created;
  return json;
}

Json describe_several(const Glossary& glossary) {
  Json dictionaries = Json::array();
  for (const Glossary::Dictionary& dictionary : glossary.dictionaries) dictionaries.push_back(describe(dictionary));
  return {{"glossary_id", glossary.id},
          {"name", glossary.name},
          {"creation_time", glossary.created},
          {"dictionaries", dictionaries}};
}

// A glossary with exactly one direction; others are not there for /v2.
Glossary get_single(const Backend& backend, const Call& call) {
  Glossary glossary = backend.glossaries.get(call.caller().owner, call.parameter(0));
  if (glossary.dictionaries.size() != 1)
    throw HttpError(404, "the glossary has several directions: use /v3/glossaries");
  return glossary;
}

void list_single(const Backend& backend, const CallPointer& call) {
  Json list = Json::array();
  for (const Glossary& glossary : backend.glossaries.list(call->caller().owner))
    if (glossary.dictionaries.size() == 1) list.push_back(describe_single(glossary));
  call->respond({{"glossaries", list}});
}

void create_single(const Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  const Glossary made =
      backend.glossaries.create(call->caller(), fields.text("name"), {read_dictionary(backend, fields)});
  call->respond(describe_single(made), 201);
}

void show_entries(const Backend& backend, const CallPointer& call) {
  const Glossary glossary = get_single(backend, *call);
  call->respond(HttpResponse{.type = "text/tab-separated-values; charset=utf-8",
                             .body = write_terms(glossary.dictionaries.front().terms->all())});
}

void remove(const Backend& backend, const CallPointer& call) {
  backend.glossaries.remove(call->caller().owner, call->parameter(0));
  call->respond(HttpResponse{.status = 204});
}

void list_pairs(const Backend& backend, const CallPointer& call) {
  Json pairs = Json::array();
  for (const text::LanguagePair& pair : backend.service.models()->pairs())
    pairs.push_back({{"source_lang", pair.source}, {"target_lang", pair.target}});
  call->respond({{"supported_languages", pairs}});
}

void list_several(const Backend& backend, const CallPointer& call) {
  Json list = Json::array();
  for (const Glossary& glossary : backend.glossaries.list(call->caller().owner))
    list.push_back(describe_several(glossary));
  call->respond({{"glossaries", list}});
}

void create_several(const Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  const Glossary made =
      backend.glossaries.create(call->caller(), fields.text("name"), read_dictionaries(backend, fields));
  call->respond(describe_several(made), 201);
}

// Entries with the source terms of old ones replace them; the others stay.
Glossary::Dictionary merge(const Glossary& glossary, const Glossary::Dictionary& added) {
  const Glossary::Dictionary* const before = glossary.find(added.pair);
  if (before == nullptr) return added;
  TermCollector terms;
  terms.add(*before->terms);
  terms.add(*added.terms);
  return {added.pair, std::move(terms).finish()};
}

void change(const Backend& backend, const CallPointer& call) {
  const std::string& id = call->parameter(0);
  const Glossary before = backend.glossaries.get(call->caller().owner, id);
  std::vector<Glossary::Dictionary> merged;
  for (const Glossary::Dictionary& added : read_dictionaries(backend, call->fields()))
    merged.push_back(merge(before, added));
  if (call->fields().has("name")) backend.glossaries.rename(call->caller().owner, id, call->fields().text("name"));
  for (Glossary::Dictionary& dictionary : merged)
    backend.glossaries.put(call->caller().owner, id, std::move(dictionary));
  call->respond(describe_several(backend.glossaries.get(call->caller().owner, id)));
}

void show_several(const Backend& backend, const CallPointer& call) {
  call->respond(describe_several(backend.glossaries.get(call->caller().owner, call->parameter(0))));
}

void show_dictionary(const Backend& backend, const CallPointer& call) {
  const Glossary glossary = backend.glossaries.get(call->caller().owner, call->parameter(0));
  const Glossary::Dictionary* const dictionary = glossary.find(read_pair(backend, call->fields()));
  if (dictionary == nullptr) throw HttpError(404, "the glossary has no dictionary for these languages");
  call->respond({{"dictionaries",
                  {{{"source_lang", dictionary->pair.source},
                    {"target_lang", dictionary->pair.target},
                    {"entries", write_terms(dictionary->terms->all())},
                    {"entries_format", "tsv"}}}}});
}

void replace_dictionary(const Backend& backend, const CallPointer& call) {
  const Glossary::Dictionary dictionary = read_dictionary(backend, call->fields());
  backend.glossaries.put(call->caller().owner, call->parameter(0), dictionary);
  call->respond(describe(dictionary));
}

void remove_dictionary(const Backend& backend, const CallPointer& call) {
  backend.glossaries.remove_dictionary(call->caller().owner, call->parameter(0), read_pair(backend, call->fields()));
  call->respond(HttpResponse{.status = 204});
}

}  // namespace

std::vector<Route> deepl_glossary_routes(Backend& backend) {
  using Endpoint = void (*)(const Backend&, const CallPointer&);
  const auto route = [&backend](const char* method, const char* path, Endpoint endpoint) {
    return Route{method, path, Access::clients,
                 [&backend, endpoint](const CallPointer& call) { endpoint(backend, call); }};
  };
  const Endpoint show_single = [](const Backend& given, const CallPointer& call) {
    call->respond(describe_single(get_single(given, *call)));
  };
  return {
      route("GET", "/v2/glossary-language-pairs", list_pairs),
      route("GET", "/v2/glossaries", list_single),
      route("POST", "/v2/glossaries", create_single),
      route("GET", "/v2/glossaries/{}", show_single),
      route("DELETE", "/v2/glossaries/{}", remove),
      route("GET", "/v2/glossaries/{}/entries", show_entries),
      route("GET", "/v3/glossaries", list_several),
      route("POST", "/v3/glossaries", create_several),
      route("GET", "/v3/glossaries/{}", show_several),
      route("PATCH", "/v3/glossaries/{}", change),
      route("DELETE", "/v3/glossaries/{}", remove),
      route("GET", "/v3/glossaries/{}/entries", show_dictionary),
      route("PUT", "/v3/glossaries/{}/dictionaries", replace_dictionary),
      route("DELETE", "/v3/glossaries/{}/dictionaries", remove_dictionary),
  };
}

}  // namespace dragoman::serve
