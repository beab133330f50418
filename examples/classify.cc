// Labels the lines of standard input:  example_classify_cpp MODEL < lines
#include <dragoman/classifier.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example_classify_cpp MODEL < lines\n";
    return 2;
  }
  try {
    const dragoman::Classifier classifier(argv[1]);
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);

    // All lines at once: the two likeliest labels of each, with their probabilities.
    for (const dragoman::Classification& result : classifier.classify(lines, 2)) {
      for (const dragoman::LabelProbability& label : result.labels)
        std::cout << label.label << " " << label.probability << "  ";
      std::cout << "\n";
    }

    // One line: its label.
    if (!lines.empty()) std::cout << classifier.classify(lines.front()) << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
