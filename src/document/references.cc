#include "document/references.h"

#include <gumbo.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "text/unicode.h"

namespace dragoman::document {
namespace {

constexpr std::size_t kLongestEntity = 256;    // bytes
constexpr std::size_t kLongestReference = 40;  // bytes; the longest name of HTML has 32

constexpr std::pair<std::string_view, std::string_view> kCommon[] = {
    {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};

bool is_name_byte(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The end of the longest stretch that can be a reference, with its semicolon if it has one.
std::size_t candidate_end(std::string_view text) {
  std::size_t end = text.size() > 1 && text[1] == '#' ? 2 : 1;
  while (end < text.size() && end < kLongestReference && is_name_byte(text[end])) ++end;
  return end < text.size() && text[end] == ';' ? end + 1 : end;
}

// The text of a document that contains nothing but text.
std::string text_in_html(std::string_view html) {
  const auto free = [](GumboOutput* output) { gumbo_destroy_output(&kGumboDefaultOptions, output); };
  const std::unique_ptr<GumboOutput, decltype(free)> parsed(
      gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size()), free);
  std::string text;
  const GumboVector& children = parsed->root->v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* body = static_cast<const GumboNode*>(children.data[i]);
    if (body->type != GUMBO_NODE_ELEMENT || body->v.element.tag != GUMBO_TAG_BODY) continue;
    for (unsigned k = 0; k < body->v.element.children.length; ++k) {
      const auto* node = static_cast<const GumboNode*>(body->v.element.children.data[k]);
      if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) text += node->v.text.text;
    }
  }
  return text;
}

// Gumbo decodes the longest name that is one, and leaves the rest as it is: "&notit;" is "¬it;".
Reference decode_html(std::string_view candidate) {
  const std::string text = text_in_html("x" + std::string(candidate) + "x");
  if (text.size() < 2 || text.front() != 'x') return {};
  std::string decoded = text.substr(1, text.size() - 2);
  if (decoded == candidate || decoded.empty()) return {};
  // The bytes at the end that were not decoded.
  std::size_t rest = 0;
  while (rest < decoded.size() && rest < candidate.size() - 1 && candidate[candidate.size() - 1 - rest] != '&' &&
         decoded[decoded.size() - 1 - rest] == candidate[candidate.size() - 1 - rest])
    ++rest;
  if (rest == decoded.size()) --rest;  // "&aa" cannot be nothing
  decoded.resize(decoded.size() - rest);
  return {std::move(decoded), candidate.size() - rest};
}

// "&#38;" and "&#x26;"; a code point that is none stands for U+FFFD.
Reference decode_number(std::string_view candidate) {
  if (candidate.back() != ';') return {};
  const bool is_hex = candidate.size() > 2 && (candidate[2] == 'x' || candidate[2] == 'X');
  const std::string_view digits = candidate.substr(is_hex ? 3 : 2, candidate.size() - (is_hex ? 4 : 3));
  char32_t code = 0;
  for (const char c : digits) {
    const bool decimal = c >= '0' && c <= '9', hex = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!decimal && !(is_hex && hex)) return {};
    const int digit = decimal ? c - '0' : (c | 0x20) - 'a' + 10;
    code = std::min<char32_t>(code * (is_hex ? 16 : 10) + static_cast<char32_t>(digit), 0x110000);
  }
  if (digits.empty()) return {};
  const bool is_valid = code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
  Reference reference{"", candidate.size()};
  text::append_utf8(is_valid ? code : 0xfffd, reference.text);
  return reference;
}

// "&product-name;"
Reference find_entity(std::string_view text) {
  const auto is_name = [](char c) {
    return is_name_byte(c) || c == '_' || c == ':' || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  };
  constexpr std::string_view kNotFirst = "0123456789-.";
  std::size_t end = 1;
  while (end < text.size() && end < kLongestEntity && is_name(text[end])) ++end;
  const bool is_entity = end > 1 && end < text.size() && text[end] == ';' && kNotFirst.find(text[1]) == kNotFirst.npos;
  return {"", is_entity ? end + 1 : 0};
}

}  // namespace

Reference decode_reference(std::string_view text, Markup markup) {
  const std::string_view candidate = text.substr(0, candidate_end(text));
  for (const auto& [name, character] : kCommon)
    if (candidate == name) return {std::string(character), name.size()};
  if (markup == Markup::xml && !text.starts_with("&#")) return find_entity(text);
  if (candidate.size() < 3) return {};
  if (markup == Markup::xml) return decode_number(candidate);
  return decode_html(candidate);
}

void append_escaped(std::string_view text, Markup markup, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_no_break_space = markup == Markup::html && text.substr(i, 2) == "\u00a0";
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default:
        if (is_no_break_space) {
          out += "&nbsp;";
          ++i;
        } else {
          out += text[i];
        }
    }
  }
}

}  // namespace dragoman::document
