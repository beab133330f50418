// Prints the library's version and why a model that is not there cannot be loaded. The exception is caught by its type
// on this side of the library's boundary.
#include <dragoman/classifier.h>
#include <dragoman/scorer.h>
#include <dragoman/translator.h>
#include <dragoman/version.h>

#include <iostream>

int main() {
  std::cout << dragoman::version() << "\n";
  try {
    dragoman::Translator("absent.safetensors", {.device = "cpu"});
  } catch (const dragoman::Error& error) {
    std::cout << error.what() << "\n";
  }
  try {
    dragoman::Classifier("absent.safetensors", {.device = "cpu"});
  } catch (const dragoman::Error& error) {
    std::cout << error.what() << "\n";
  }
  try {
    dragoman::Scorer("absent.safetensors", {.device = "cpu"});
  } catch (const dragoman::Error& error) {
    std::cout << error.what() << "\n";
    return 0;
  }
  return 1;
}
