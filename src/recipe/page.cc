#include "recipe/page.h"

#include "recipe/markdown.h"
#include "recipe/page_data.h"
#include "recipe/page_figures.h"
#include "recipe/page_tables.h"
#include "report/escape.h"
#include "report/page_frame.h"

namespace dragoman::recipe {
namespace {

using report::escape;

constexpr const char* kStyle =
#include "recipe/page.css.inc"
    ;
constexpr const char* kScript =
#include "recipe/page.js.inc"
    ;

constexpr const char* kTranslations = R"html(
<section><h2 id='translations'>Translations side by side</h2>
<p><ins>Underlined</ins> words are not in the reference, or not in this order.</p>
<form id='translation-controls' class='controls'>
<label>Test set <select name='test'></select></label>
<label>Sentence <input type='number' name='number' value='1' min='1'></label>
<span class='steps'><button type='button' data-step='-1'>previous</button>
<button type='button' data-step='1'>next</button></span>
<label>Search <input type='search' name='search'></label>
<label class='inline'><input type='checkbox' name='missing'> show missing words</label>
<span id='found' class='found' role='status'></span>
</form>
<dl id='sentences' class='sentences'></dl>
<noscript><p>The translations need JavaScript.</p></noscript></section>
)html";

constexpr const char* kAttentionTitle = "Attention";
constexpr const char* kAttention = R"html(
<form id='attention-controls' class='controls'>
<label>Test set <select name='test'></select></label>
<label>System <select name='system'></select></label>
<label>Sentence <input type='number' name='number' value='1' min='1'></label>
<span class='steps'><button type='button' data-step='-1'>previous</button>
<button type='button' data-step='1'>next</button></span>
<span id='with-attention' class='found'></span>
</form>
<p id='readout' class='readout' role='status'></p>
<div id='maps' class='maps'></div>
<noscript><p>The attention maps need JavaScript.</p></noscript></section>
)html";

// `Code` in backticks; the text is escaped already.
std::string with_code(const std::string& text) {
  std::string html;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find('`', at), end = begin == std::string::npos ? begin : text.find('`', begin + 1);
    if (end == std::string::npos) return html + text.substr(at);
    html += text.substr(at, begin - at) + "<code>" + text.substr(begin + 1, end - begin - 1) + "</code>";
    at = end + 1;
  }
  return html;
}

std::string paragraph(const std::string& text, const char* attributes = "") {
  return text.empty() ? "" : fmt::format("<p{}>{}</p>", attributes, with_code(escape(text)));
}

std::string header(const PageResults& results) {
  const Recipe& recipe = results.recipe();
  std::string html = "<header><h1>" + escape(recipe.title) + "</h1>";
  if (results.is_miniature()) html += paragraph(kMiniatureWarning, " class='warning'");
  html += paragraph(recipe.about);
  if (!recipe.source.empty()) html += paragraph("Published numbers: " + recipe.source);
  const std::size_t all = results.planned_count(), done = results.finished_count();
  if (done < all) html += paragraph(fmt::format("{} of {} systems are finished.", done, all), " class='where'");
  for (const std::string& line : results.environments()) html += paragraph(line, " class='where'");
  return html + "</header>";
}

std::string tables(const PageResults& results) {
  std::string html = "<section><h2 id='results'>Results</h2>";
  for (const Table& table : results.recipe().tables)
    html += to_html(result_table(results, table)) + paragraph(table.note) + table_charts(results, table);
  return html + "</section>";
}

// The charts of a figure and its numbers, which are folded away where there is a chart.
std::string figure_content(const PageResults& results, const Figure& figure) {
  const std::string charts = figure_charts(results, figure);
  const report::Table table = figure_table(results, figure);
  if (table.rows.empty()) return charts.empty() ? "<p class='pending'>not measured yet</p>" : charts;
  if (charts.empty()) return to_html(table);
  return charts + "<details><summary>numbers</summary>" + to_html(table) + "</details>";
}

std::string figures(const PageResults& results) {
  std::string html;
  for (const Figure& figure : results.recipe().figures)
    if (figure.kind != FigureKind::attention)
      html += "<div class='figure'><h3>" + escape(figure.title) + "</h3>" + paragraph(figure.note) +
              figure_content(results, figure) + "</div>";
  return html.empty() ? "" : "<section><h2 id='figures'>Figures</h2>" + html + "</section>";
}

std::string attention(const PageResults& results) {
  std::string html = fmt::format("<section><h2 id='attention'>{}</h2>", kAttentionTitle);
  for (const Figure& figure : results.recipe().figures)
    if (figure.kind == FigureKind::attention) {
      if (figure.title != kAttentionTitle) html += "<h3>" + escape(figure.title) + "</h3>";
      html += paragraph(figure.note);
    }
  return html + kAttention;
}

std::string commands(const std::string& title, const std::string& lines) {
  return fmt::format("<details><summary>{}</summary><div class='copyable'><pre><code>{}</code></pre></div></details>",
                     escape(title), escape(lines));
}

std::string reproduction(const PageResults& results) {
  const Recipe& recipe = results.recipe();
  std::string html =
      "<section><h2 id='commands'>Commands and data</h2><p>This command repeats everything:</p>"
      "<div class='copyable'><pre><code>" +
      escape(recipe_command(results)) + "</code></pre></div>";
  for (const System& system : recipe.systems)
    if (const SystemResult* const result = results.finished(system.name))
      html += commands(fmt::format("{}: {} commands", results.full_title(system), result->steps.size()),
                       commands_of(results, *result));
  for (const DataFolder& folder : recipe.data) {
    std::string files;
    for (const DataFile& file : folder.files) files += file.sha256 + "  " + folder.name + "/" + file.name + "\n";
    html += commands(fmt::format("Data: {}{}{}", folder.name, folder.about.empty() ? "" : ", " + folder.about,
                                 folder.licence.empty() ? "" : " (" + folder.licence + ")"),
                     files);
  }
  return html + "</section>";
}

std::string navigation(const std::vector<std::pair<const char*, const char*>>& entries) {
  std::string html = "<nav aria-label='Sections'>";
  for (const auto& [id, title] : entries) html += fmt::format("<a href='#{}'>{}</a>", id, title);
  return html + "</nav>";
}

std::string page(const PageResults& results) {
  const PageData data = page_data(results);
  const std::string charts = figures(results);
  std::vector<std::pair<const char*, const char*>> sections = {{"results", "Results"}};
  if (!charts.empty()) sections.emplace_back("figures", "Figures");
  if (data.has_sentences) sections.emplace_back("translations", "Translations");
  if (data.has_attention) sections.emplace_back("attention", "Attention");
  sections.emplace_back("cost", "Time and cost");
  sections.emplace_back("commands", "Commands and data");
  const std::string body = header(results) + navigation(sections) + "<main>" + tables(results) + charts +
                           (data.has_sentences ? kTranslations : "") + (data.has_attention ? attention(results) : "") +
                           "<section><h2 id='cost'>Time and cost</h2>" + to_html(cost_table(results)) + "</section>" +
                           reproduction(results) + "</main>\n" + data.html;
  return to_html(report::Page{
      .title = results.recipe().title, .style = kStyle, .body_attributes = {}, .body = body, .script = kScript});
}

}  // namespace

void write_report(const Recipe& recipe, const Folder& folder, const std::string& data) {
  keep_test_sets(recipe, folder, data);
  const PageResults results(recipe, folder);
  write_text(folder.page(), page(results));
  write_text(folder.markdown(), markdown(results));
}

}  // namespace dragoman::recipe
