#include "recipe/markdown.h"

#include "eval/bleu_tokenizers.h"
#include "recipe/page_tables.h"
#include "report/escape.h"

namespace dragoman::recipe {
namespace {

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : text.substr(0, text.find_last_not_of(" \n") + 1) + "\n\n";
}

std::string section(const std::string& title, const std::string& note, const report::Table& table) {
  return table.rows.empty() ? "" : "### " + title + "\n\n" + paragraph(note) + to_markdown(table) + "\n";
}

}  // namespace

std::string markdown(const PageResults& results) {
  const Recipe& recipe = results.recipe();
  std::string text = "## " + recipe.title + "\n\n" + paragraph(recipe.about);
  if (!recipe.source.empty()) text += paragraph("Published numbers: " + recipe.source);
  for (const Table& table : recipe.tables) text += section(table.title, table.note, result_table(results, table));
  for (const Figure& figure : recipe.figures) text += section(figure.title, figure.note, figure_table(results, figure));
  text += section("Time and cost", "", cost_table(results));
  for (const std::string& line : results.environments()) text += "- Measured " + line + "\n";
  text += "\n```\n" + recipe_command(recipe) + "\n```\n";
  for (const System& system : recipe.systems)
    if (const SystemResult* const result = results.finished(system.name))
      text += "\n<details><summary>Commands of " + report::escape(results.full_title(system)) + "</summary>\n\n```\n" +
              commands_of(results, *result) + "```\n\n</details>\n";
  return text;
}

std::string recipe_command(const Recipe& recipe) { return "dragoman recipe run recipes/" + recipe.name; }

std::string commands_of(const PageResults& results, const SystemResult& result) {
  std::string text;
  for (const StepResult& step : result.steps) text += step.command + "\n";
  eval::replace_all(text, results.folder().path + "/", "runs/" + results.recipe().name + "/");
  return text;
}

}  // namespace dragoman::recipe
