// A stub of the driver of an old machine: the part of libcuda.so.1 of CUDA 11.2 that is called.
extern "C" {

int cuInit(unsigned) { return 0; }

int cuDriverGetVersion(int* version) {
  *version = 11020;
  return 0;
}
}
