#include "recipe/markdown.h"

#include <filesystem>

#include "recipe/page_tables.h"
#include "report/escape.h"

namespace dragoman::recipe {
namespace {

using report::escape_markdown;

std::string block(const std::string& text) {
  const std::string safe = report::escape_markdown_block(text);
  return safe.empty() ? "" : safe + "\n\n";
}

// The text with another folder in place of `folder` wherever a word, which may be quoted or the value of --flag=, is a
// path in it.
std::string with_folder(const std::string& text, const std::string& folder, const std::string& other) {
  std::string changed;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins_word = i == 0 || std::string_view(" \n'\"=").find(text[i - 1]) != std::string_view::npos;
    if (begins_word && text.compare(i, folder.size() + 1, folder + "/") == 0) {
      changed += other;
      i += folder.size();
    } else {
      changed += text[i++];
    }
  }
  return changed;
}

std::string section(const std::string& title, const std::string& note, const report::Table& table) {
  return table.rows.empty() ? "" : "### " + escape_markdown(title) + "\n\n" + block(note) + to_markdown(table) + "\n";
}

}  // namespace

std::string markdown(const PageResults& results) {
  const Recipe& recipe = results.recipe();
  std::string text = "## " + escape_markdown(recipe.title) + "\n\n";
  if (results.is_miniature()) text += block(kMiniatureWarning);
  text += block(recipe.about);
  if (!recipe.source.empty()) text += block("Published numbers: " + recipe.source);
  for (const Table& table : recipe.tables) text += section(table.title, table.note, result_table(results, table));
  for (const Figure& figure : recipe.figures) text += section(figure.title, figure.note, figure_table(results, figure));
  text += section("Time and cost", "", cost_table(results));
  for (const std::string& line : results.environments()) text += "- Measured " + escape_markdown(line) + "\n";
  text += "\n```\n" + recipe_command(results) + "\n```\n";
  for (const System& system : recipe.systems)
    if (const SystemResult* const result = results.finished(system.name))
      text += "\n<details><summary>Commands of " + report::escape(results.full_title(system)) + "</summary>\n\n```\n" +
              commands_of(results, *result) + "```\n\n</details>\n";
  return text;
}

std::string recipe_command(const PageResults& results) {
  const Recipe& recipe = results.recipe();
  const bool is_own = std::filesystem::path(recipe.folder).parent_path().filename() != "recipes";
  return "dragoman recipe run " + (is_own && !recipe.folder.empty() ? recipe.folder : "recipes/" + recipe.name) +
         (results.is_miniature() ? " --miniature"
          : recipe.data.empty()  ? ""
                                 : " --data DIR");
}

std::string commands_of(const PageResults& results, const SystemResult& result) {
  std::string text;
  for (const StepResult& step : result.steps) text += step.command + "\n";
  return with_folder(text, results.folder().path, "runs/" + results.recipe().name);
}

}  // namespace dragoman::recipe
