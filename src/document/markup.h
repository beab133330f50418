#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace dragoman::document {

// The segments of an HTML page or fragment.
//
// Block elements (p, li, td, br, ...) end paragraphs; all other elements, unknown ones included, are inline, as in a
// browser. Runs of white space count as one space; in `pre`, every line is a paragraph. These stay as they are, without
// being translated: elements with translate="no" or class="notranslate", elements whose content is not language (code,
// kbd, samp, var, script, style, textarea, math, svg, ...), comments, declarations and all attributes.
std::vector<Segment> read_html(std::string_view document, const Options& options);

// The page with `language` as the language of its `html` element, if it has one. Fragments stay as they are.
std::string with_language(std::string document, const std::string& language);

// The segments of an XML document or fragment. Comments, CDATA sections, processing instructions, attributes, entities,
// elements with translate="no" and options.ignored stay as they are. Throws Error if it is not well-formed.
std::vector<Segment> read_xml(std::string_view document, const Options& options);

}  // namespace dragoman::document
