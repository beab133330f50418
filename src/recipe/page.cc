#include "recipe/page.h"

#include <filesystem>
#include <set>

#include "base/join.h"
#include "data/line_reader.h"
#include "data/utf8.h"
#include "recipe/figures.h"
#include "recipe/steps.h"
#include "recipe/tables.h"
#include "report/escape.h"
#include "report/page_frame.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using report::escape;
using report::escape_markdown;

constexpr std::size_t kSentences = 20;  // of a test set that the page shows
constexpr const char* kStyle =
#include "recipe/page.css.inc"
    ;

std::string paragraph(const std::string& text, const char* attributes = "") {
  return text.empty() ? "" : fmt::format("<p{}>{}</p>", attributes, escape(text));
}

std::string section(const char* id, const char* title, const std::string& content) {
  return content.empty() ? "" : fmt::format("<section><h2 id='{}'>{}</h2>{}</section>", id, title, content);
}

// The different machines, versions and days of the results.
std::set<std::string> measured_on(const Results& results) {
  std::set<std::string> lines;
  for (const auto& [name, result] : results.finished) lines.insert(result.measured);
  for (const auto& [name, result] : results.figures) lines.insert(result.measured);
  return lines;
}

// What read(figure) makes of its JSON; if it is not of the figure's kind, the error says so.
template <class Read>
auto reading_figure(const Results& results, const Figure& figure, Read read) {
  return report::reading(results.folder.path + "/figures/" + figure.name,
                         fmt::format("a result of a figure of kind {}", name_of(figure.kind)),
                         [&] { return read(results, figure); });
}

std::string recipe_command(const Results& results) {
  const Recipe& recipe = results.recipe;
  const bool is_own = fs::path(recipe.folder).parent_path().filename() != "recipes";
  return "dragoman recipe run " + (is_own && !recipe.folder.empty() ? recipe.folder : "recipes/" + recipe.name) +
         (results.options.miniature ? " --miniature"
          : recipe.data.empty()     ? ""
                                    : " --data DIR");
}

std::string header(const Results& results) {
  std::string html = "<header><h1>" + escape(results.recipe.title) + "</h1>";
  if (results.options.miniature) html += paragraph(kMiniatureWarning, " class='warning'");
  html += paragraph(results.recipe.about);
  if (!results.recipe.source.empty()) html += paragraph("Published numbers: " + results.recipe.source);
  const std::size_t all = results.systems.size(), done = results.finished.size();
  if (done < all) html += paragraph(fmt::format("{} of {} systems are finished.", done, all), " class='where'");
  for (const std::string& line : measured_on(results)) html += paragraph("Measured " + line, " class='where'");
  return html + "</header>";
}

std::string tables(const Results& results) {
  std::string html;
  for (const Table& table : results.recipe.tables)
    html += to_html(result_table(results, table)) + paragraph(table.note);
  return html;
}

// Drawings and numbers, which are folded away where there is a drawing.
std::string figures(const Results& results) {
  std::string html;
  for (const Figure& figure : results.recipe.figures) {
    const std::string drawing = reading_figure(results, figure, draw_figure);
    const report::Table table = reading_figure(results, figure, figure_table);
    std::string numbers = table.rows.empty() ? "" : to_html(table);
    if (!numbers.empty() && !drawing.empty()) numbers = "<details><summary>numbers</summary>" + numbers + "</details>";
    const bool is_empty = drawing.empty() && numbers.empty();
    html += "<div class='figure'><h3>" + escape(figure.title) + "</h3>" + paragraph(figure.note) + drawing + numbers +
            (is_empty ? "<p class='pending'>not measured yet</p>" : "") + "</div>";
  }
  return html;
}

// The first lines of a file; none if there is no file. Invalid UTF-8 is replaced.
std::vector<std::string> first_lines(const std::string& path) {
  std::vector<std::string> lines;
  if (!fs::is_regular_file(path)) return lines;
  data::LineReader reader(data::open_bytes(path));
  for (data::Line line; lines.size() < kSentences && reader.next(line);)
    lines.push_back(data::replace_invalid_utf8(line.text));
  return lines;
}

// The first sentences of every test set with what the systems make of them.
std::string translations(const Results& results) {
  const Places places = {{"data", results.options.data}, {"work", results.folder.work()}};
  std::string html;
  for (const TestSet& test : results.recipe.tests) {
    std::vector<std::pair<std::string, std::vector<std::string>>> columns = {
        {"Source", first_lines(fill(test.source, places))}, {"Reference", first_lines(fill(test.reference, places))}};
    for (const System* system : results.shown(results.systems))
      if (const auto lines = first_lines(results.folder.output(system->name, test.name)); !lines.empty())
        columns.emplace_back(system->title, lines);
    if (columns.size() == 2) continue;
    html += "<details><summary>" + escape(test.title) + "</summary>";
    for (std::size_t i = 0; i < columns[0].second.size(); ++i) {
      html += "<dl class='sentences'>";
      for (const auto& [title, lines] : columns)
        html += "<dt>" + escape(title) + "</dt><dd>" + escape(i < lines.size() ? lines[i] : "") + "</dd>";
      html += "</dl>";
    }
    html += "</details>";
  }
  return html;
}

std::string commands(const std::string& title, const std::string& lines) {
  return fmt::format("<details><summary>{}</summary><pre><code>{}</code></pre></details>", escape(title),
                     escape(lines));
}

std::string reproduction(const Results& results) {
  std::string html =
      "<p>This command repeats everything:</p><pre><code>" + escape(recipe_command(results)) + "</code></pre>";
  for (const auto& [name, result] : results.finished)
    html += commands(fmt::format("{}: {} commands", results.recipe.system(name).title, result.commands.size()),
                     join(result.commands, "\n"));
  for (const DataFolder& folder : results.recipe.data) {
    std::string files;
    for (const auto& [name, sha256] : folder.files) files += sha256 + "  " + folder.name + "/" + name + "\n";
    html += commands(fmt::format("Data: {}, {} ({})", folder.name, folder.about, folder.licence), files);
  }
  return html;
}

std::string page(const Results& results) {
  const std::string body = header(results) + "<main>" + section("results", "Results", tables(results)) +
                           section("figures", "Figures", figures(results)) +
                           section("translations", "Translations side by side", translations(results)) +
                           section("cost", "Time and cost", to_html(cost_table(results))) +
                           section("commands", "Commands and data", reproduction(results)) + "</main>";
  return to_html(
      report::Page{.title = results.recipe.title, .style = kStyle, .body_attributes = {}, .body = body, .script = {}});
}

std::string markdown_block(const std::string& text) {
  const std::string safe = report::escape_markdown_block(text);
  return safe.empty() ? "" : safe + "\n\n";
}

std::string markdown_section(const std::string& title, const std::string& note, const report::Table& table) {
  if (table.rows.empty()) return "";
  return "### " + escape_markdown(title) + "\n\n" + markdown_block(note) + to_markdown(table) + "\n";
}

std::string markdown(const Results& results) {
  const Recipe& recipe = results.recipe;
  std::string text = "## " + escape_markdown(recipe.title) + "\n\n";
  if (results.options.miniature) text += markdown_block(kMiniatureWarning);
  text += markdown_block(recipe.about);
  if (!recipe.source.empty()) text += markdown_block("Published numbers: " + recipe.source);
  for (const Table& table : recipe.tables)
    text += markdown_section(table.title, table.note, result_table(results, table));
  for (const Figure& figure : recipe.figures)
    text += markdown_section(figure.title, figure.note, reading_figure(results, figure, figure_table));
  text += markdown_section("Time and cost", "", cost_table(results));
  for (const std::string& line : measured_on(results)) text += "- Measured " + escape_markdown(line) + "\n";
  return text + "\n```\n" + recipe_command(results) + "\n```\n";
}

}  // namespace

void write_report(const Recipe& recipe, const Folder& folder, const PlanOptions& options) {
  const Results results(recipe, folder, options);
  write_text(folder.page(), page(results));
  write_text(folder.markdown(), markdown(results));
}

}  // namespace dragoman::recipe
