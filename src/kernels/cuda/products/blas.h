#pragma once

#include <cublasLt.h>

namespace dragoman::kernels::cuda {

// The functions of cuBLASLt that products use. The library is opened at the first product (dlopen), so a program that
// never multiplies on a GPU does not need it.
struct Blas {
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) read_algorithm;
  decltype(&cublasLtMatmulDescCreate) create_operation;
  decltype(&cublasLtMatmulDescSetAttribute) set_operation;
  decltype(&cublasLtMatmulDescDestroy) destroy_operation;
  decltype(&cublasLtMatrixLayoutCreate) create_layout;
  decltype(&cublasLtMatrixLayoutDestroy) destroy_layout;
  decltype(&cublasLtMatmulPreferenceCreate) create_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
  decltype(&cublasLtMatmulPreferenceDestroy) destroy_preference;
  decltype(&cublasLtGetStatusString) describe;
  decltype(&cublasLtCreate) create;
};

const Blas& blas();
// The library handle of the current GPU; each GPU has its own.
cublasLtHandle_t blas_handle();
void check_blas(cublasStatus_t status, const char* what);

}  // namespace dragoman::kernels::cuda
