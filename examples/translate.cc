// Translates the lines of standard input:  example_cpp MODEL < lines
#include <dragoman/translator.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example_cpp MODEL < lines\n";
    return 2;
  }
  try {
    const dragoman::Translator translator(argv[1]);
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);

    // The short way: text in, text out, all lines at once.
    for (const std::string& translation : translator.translate(lines)) std::cout << translation << "\n";

    // The long way: the two best translations of the first line with their log probability and alignment.
    if (lines.empty()) return 0;
    dragoman::SearchOptions search;
    search.beam = 6;
    search.n_best = 2;
    search.alignment = true;
    dragoman::Request request;
    request.text = lines.front();
    const dragoman::TranslationResult result = translator.translate({request}, search).front();
    for (const dragoman::Translation& translation : result.translations) {
      std::cout << translation.log_probability << "  " << translation.text << " ";
      for (const dragoman::AlignmentLink& link : translation.alignment)
        std::cout << " " << link.source << "-" << link.target;
      std::cout << "\n";
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
