#include "report/facts.h"

#include <fmt/core.h>

#include "report/escape.h"

namespace dragoman::report {

std::string to_html(const Facts& facts) {
  std::string html = "<table class='facts'>";
  for (const auto& [name, words] : facts)
    html += fmt::format("<tr><th scope='row'>{}</th><td>{}</td></tr>", escape(name), escape(words));
  return html + "</table>";
}

}  // namespace dragoman::report
