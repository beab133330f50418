#include "search/interface/c_result.h"

using dragoman::check;
using namespace dragoman::search::c;

namespace dragoman::search::c {

int fill_results(const dragoman_translator* translator, const std::vector<Request>& requests,
                 const dragoman_options* options, dragoman_result** results) {
  check(requests.empty() || results != nullptr, "expected an array for the results but got a null pointer");
  const SearchOptions search = options ? options->search : SearchSettings();
  std::vector<std::unique_ptr<dragoman_result>> made;
  for (TranslationResult& result : deref(translator, "a translator").translator.translate(requests, search))
    made.push_back(std::make_unique<dragoman_result>(std::move(result)));
  for (auto& result : made) *results++ = result.release();
  return 0;
}

}  // namespace dragoman::search::c

namespace {

// Changes a request by `change` and returns 0.
template <class Change>
int change_request(dragoman_request* request, bool has_arguments, Change change) {
  return guarded(-1, [&] {
    check(request != nullptr && has_arguments, "expected a request and its text but got a null pointer");
    change(request->request);
    return 0;
  });
}

}  // namespace

dragoman_request* dragoman_request_new(const char* text) {
  return guarded<dragoman_request*>(nullptr, [&] {
    auto request = std::make_unique<dragoman_request>();
    if (text != nullptr) request->request.text = text;
    return request.release();
  });
}

void dragoman_request_free(dragoman_request* request) { delete request; }

int dragoman_request_set_tokens(dragoman_request* request, const char* const* tokens, int count) {
  return change_request(request, true, [&](dragoman::Request& one) { one.tokens = texts_of(tokens, count, "token"); });
}

int dragoman_request_set_prefix(dragoman_request* request, const char* prefix) {
  return change_request(request, prefix != nullptr, [&](dragoman::Request& one) { one.prefix = prefix; });
}

int dragoman_request_set_prefix_tokens(dragoman_request* request, const char* const* tokens, int count) {
  return change_request(request, true,
                        [&](dragoman::Request& one) { one.prefix_tokens = texts_of(tokens, count, "token"); });
}

int dragoman_request_add_term(dragoman_request* request, const char* source, const char* target) {
  return change_request(request, source != nullptr && target != nullptr,
                        [&](dragoman::Request& one) { one.terms.emplace_back(source, target); });
}

int dragoman_request_ban(dragoman_request* request, const char* word) {
  return change_request(request, word != nullptr, [&](dragoman::Request& one) { one.banned.emplace_back(word); });
}

int dragoman_request_set_language(dragoman_request* request, const char* language) {
  return change_request(request, language != nullptr, [&](dragoman::Request& one) { one.to = language; });
}

int dragoman_request_set_source_language(dragoman_request* request, const char* language) {
  return change_request(request, language != nullptr, [&](dragoman::Request& one) { one.from = language; });
}

dragoman_result* dragoman_translate_request(dragoman_translator* translator, const dragoman_request* request,
                                            const dragoman_options* options) {
  dragoman_result* result = nullptr;
  dragoman_translate_requests(translator, &request, 1, options, &result);
  return result;
}

int dragoman_translate_requests(dragoman_translator* translator, const dragoman_request* const* requests, int count,
                                const dragoman_options* options, dragoman_result** results) {
  return guarded(-1, [&] {
    check(count >= 0, "expected a number of requests but got {}", count);
    check(count == 0 || requests != nullptr, "expected an array of requests but got a null pointer");
    std::vector<dragoman::Request> copies;
    for (int i = 0; i < count; ++i) copies.push_back(deref(requests[i], "a request").request);
    return fill_results(translator, copies, options, results);
  });
}
