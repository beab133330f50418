#include "report/page_frame.h"

#include <fmt/core.h>

#include "report/escape.h"
#include "report/page_style.h"

namespace dragoman::report {
namespace {

constexpr const char* kChartScript =
#include "report/charts.js.inc"
    ;

// The browser loads nothing for this page, whatever its texts contain.
constexpr const char* kPolicy =
    "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
    "'unsafe-inline'; base-uri 'none'; form-action 'none'\">";

}  // namespace

std::string to_html(const Page& page) {
  return fmt::format(
      "<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
      "content='width=device-width,initial-scale=1'>{}<title>{}</title><style>{}{}</style></head><body{}>{}"
      "<script>{}</script>{}</body></html>\n",
      kPolicy, escape(page.title), page_style(), page.style, page.body_attributes, page.body, kChartScript,
      page.script.empty() ? "" : "<script>" + page.script + "</script>");
}

}  // namespace dragoman::report
