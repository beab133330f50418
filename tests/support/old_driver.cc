// The driver of an old machine, as far as anybody asks it: libcuda.so.1 of CUDA 11.2.
extern "C" {

int cuInit(unsigned) { return 0; }

int cuDriverGetVersion(int* version) {
  *version = 11020;
  return 0;
}
}
