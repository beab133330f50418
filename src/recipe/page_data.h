#pragma once

#include <string>

#include "recipe/page_results.h"

namespace dragoman::recipe {

// Copies test sets to the output folder, unless it has them as they are now. Placeholders of their paths are {data} and
// {work}; files that do not exist are left out.
void keep_test_sets(const Recipe& recipe, const Folder& folder, const std::string& data);

// What the script of the page shows, as JSON in script elements: one element with the list of test sets, one with the
// sentences of each test set, and one with the attention of each test set and system. The script parses an element when
// it is needed for the first time.
struct PageData {
  std::string html;
  bool has_sentences = false, has_attention = false;
};
PageData page_data(const PageResults& results);

// JSON that ends neither its script element nor begins a comment: every < is written as an escape.
std::string script_json(const nlohmann::ordered_json& value);

}  // namespace dragoman::recipe
