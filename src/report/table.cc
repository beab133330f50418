#include "report/table.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/escape.h"

namespace dragoman::report {
namespace {

bool is_number_column(const Table& table, std::size_t column) {
  return column > 0 && std::all_of(table.rows.begin(), table.rows.end(), [column](const std::vector<Cell>& row) {
           return column >= row.size() || row[column].is_number;
         });
}

std::string hint_attribute(const std::string& hint) { return hint.empty() ? "" : " title='" + escape(hint) + "'"; }

// Attributes of the heading of a column.
std::string heading_attributes(const Table& table, std::size_t column, bool is_first) {
  std::string classes = is_number_column(table, column) ? "" : "words";
  if (is_first) classes += classes.empty() ? "first" : " first";
  return (classes.empty() ? "" : " class='" + classes + "'") + hint_attribute(table.head[column].hint);
}

// One row of headings, or two if some have a group.
std::string head(const Table& table) {
  const auto has_group = [](const Heading& heading) { return !heading.group.empty(); };
  const bool two_rows = std::any_of(table.head.begin(), table.head.end(), has_group);
  std::string upper = "<tr>", lower = "<tr>";
  for (std::size_t i = 0; i < table.head.size();) {
    const Heading& heading = table.head[i];
    if (heading.group.empty()) {
      upper += fmt::format("<th scope='col'{}{}>{}</th>", two_rows ? " rowspan='2'" : "",
                           heading_attributes(table, i, false), escape(heading.title));
      ++i;
      continue;
    }
    const std::size_t begin = i;
    for (; i < table.head.size() && table.head[i].group == heading.group; ++i)
      lower += fmt::format("<th scope='col'{}>{}</th>", heading_attributes(table, i, i == begin),
                           escape(table.head[i].title));
    upper += fmt::format("<th scope='colgroup' class='first' colspan='{}'>{}</th>", i - begin, escape(heading.group));
  }
  return "<thead>" + upper + "</tr>" + (two_rows ? lower + "</tr>" : "") + "</thead>";
}

std::string cell_html(const Cell& cell, bool is_name) {
  std::string content = escape(cell.text);
  if (cell.best) content = "<strong>" + content + "</strong>";
  if (!cell.remark.empty()) content += " <small>" + escape(cell.remark) + "</small>";
  if (is_name) return fmt::format("<th scope='row'{}>{}</th>", hint_attribute(cell.hint), content);
  const char* const tone = cell.tone == Tone::better ? " better" : cell.tone == Tone::worse ? " worse" : "";
  return fmt::format("<td class='{}{}'{}>{}</td>", cell.is_number ? "number" : "words", tone, hint_attribute(cell.hint),
                     content);
}

std::string cell_markdown(const Cell& cell) {
  std::string content = escape_markdown(cell.text);
  if (cell.best && !content.empty()) content = "**" + content + "**";
  if (!cell.remark.empty()) content += " " + escape_markdown(cell.remark);
  return " " + content + " |";
}

}  // namespace

std::string to_html(const Table& table) {
  std::string html = fmt::format(
      "<div class='scroll' role='region' tabindex='0' aria-label='{0}'><table class='results{1}'>"
      "<caption>{0}</caption>{2}<tbody>",
      escape(table.title), table.wraps ? " wraps" : "", head(table));
  for (const std::vector<Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell_html(row[i], i == 0);
    html += "</tr>";
  }
  html += "</tbody></table></div>";
  if (table.notes.empty()) return html;
  html += "<ul class='notes'>";
  for (const std::string& note : table.notes) html += "<li>" + escape(note) + "</li>";
  return html + "</ul>";
}

std::string to_markdown(const Table& table) {
  std::string text = "|", rule = "|";
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    const Heading& heading = table.head[i];
    // Only the first column of a group repeats the name of the group.
    const bool is_first = i == 0 || table.head[i - 1].group != heading.group;
    const std::string group = heading.group.empty() || !is_first ? "" : heading.group + " ";
    text += " " + escape_markdown(group + heading.title) + " |";
    rule += is_number_column(table, i) ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) text += cell_markdown(cell);
    text += "\n";
  }
  if (!table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) text += "- " + escape_markdown_block(note) + "\n";
  return text;
}

}  // namespace dragoman::report
