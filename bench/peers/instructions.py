"""The environment in which MKL, oneDNN and CTranslate2 use no better instructions than one of our kernels does, so that
programs can be compared as on a CPU without those."""
import os

BY_KERNEL = {
    "AVX-512": {"MKL_ENABLE_INSTRUCTIONS": "AVX512_E3", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"},
    "AVX-VNNI": {"MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2_VNNI", "CT2_FORCE_CPU_ISA": "AVX2"},
    "AVX2": {"MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "CT2_FORCE_CPU_ISA": "AVX2"},
}


def environment(kernel):
    """`kernel` is a name as --kernel takes it, such as 'AVX-512 VNNI'; None, or one of another kind, limits nothing."""
    return os.environ | next((limits for name, limits in BY_KERNEL.items() if (kernel or "").startswith(name)), {})
