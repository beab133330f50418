// Says the library's version and why a model that is not there cannot be loaded: both interfaces, header to shared
// object.
#include <dragoman/dragoman.h>
#include <dragoman/translator.h>

#include <iostream>
#include <stdexcept>

int main() {
  std::cout << dragoman_version() << "\n";
  try {
    dragoman::Translator("absent.safetensors");
  } catch (const std::runtime_error& error) {
    std::cout << error.what() << "\n";
  }
}
