"""A stand-in for CTranslate2 in programs that translate: `import dragoman.ctranslate2 as ctranslate2`.

Models are dragoman's; everything else that a program does with a Translator stays as it is.
"""

from __future__ import annotations

import os
from typing import Any, Union

from . import _core, _tokens
from ._tokens import AsyncResult, ScoringResult, TranslationResult
from ._translator import Translator as _Translator

__all__ = ["AsyncScoringResult", "AsyncTranslationResult", "ScoringResult", "TranslationResult", "Translator",
           "get_cuda_device_count", "get_supported_compute_types", "set_random_seed"]

AsyncTranslationResult = AsyncScoringResult = AsyncResult

_PRECISIONS = {
    "default": "automatic",
    "auto": "automatic",
    "int8": "int8",
    "int8_float32": "int8",
    "float32": "f32",
    "bfloat16": "bf16",
}


def set_random_seed(seed: int) -> None:
    """Makes sampling repeatable."""
    _tokens._random.seed(seed)


def get_cuda_device_count() -> int:
    """The number of GPUs that can be used."""
    return _core.gpu_count()


def get_supported_compute_types(device: str, device_index: int = 0) -> set[str]:
    """The values of compute_type that have an effect on a device, "cpu" or "cuda"."""
    del device_index  # all GPUs have the same
    return {"float32", "bfloat16"} if device == "cuda" else {"float32", "bfloat16", "int8", "int8_float32"}


class Translator(_Translator):
    """dragoman.Translator, opened with the arguments of CTranslate2."""

    device: str  #: as it was asked for
    device_index: list[int]
    compute_type: str

    def __init__(
        self,
        model_path: Union[str, os.PathLike[str]],
        device: str = "cpu",
        *,
        device_index: int = 0,
        compute_type: str = "default",
        inter_threads: int = 1,
        intra_threads: int = 0,
        max_queued_batches: int = 0,
        flash_attention: bool = False,
        tensor_parallel: bool = False,
        files: Any = None,
    ) -> None:
        if not isinstance(device_index, int):
            raise _core.Error(f"device_index={device_index!r} is not supported: open a Translator for each GPU")
        if compute_type not in _PRECISIONS:
            raise _core.Error(f"compute_type={compute_type!r} is not supported; expected one of "
                              f"{', '.join(_PRECISIONS)}")
        if files is not None or tensor_parallel:
            raise _core.Error("models are opened from their file, on one device: files and tensor_parallel are not "
                              "supported")
        del max_queued_batches, flash_attention  # they change speed and memory, not results
        self.device, self.device_index, self.compute_type = device, [device_index], compute_type
        super().__init__(
            model_path,
            device=f"cuda:{device_index}" if device == "cuda" and device_index else device,
            precision=_PRECISIONS[compute_type],
            threads=inter_threads * intra_threads,
            workers=inter_threads if inter_threads > 1 else 0,
        )
