"""Training."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence, Union

from . import _core
from ._results import Progress, TrainingEnd, Validation

Path = Union[str, "os.PathLike[str]"]


def _arguments(config: Union[Path, Sequence[Path], None], options: dict[str, Any]) -> list[Path]:
    """Files of settings; the name of a preset becomes an option."""
    if config is None:
        return []
    if not isinstance(config, (str, os.PathLike)):
        return list(config)
    if isinstance(config, str) and not config.endswith((".yaml", ".yml")) and not os.path.exists(config):
        if options.setdefault("preset", config) != config:
            raise _core.Error(f"two presets: {config} and {options['preset']}")
        return []
    return [config]


def _listed(options: dict[str, Any]) -> None:
    for name in ("source", "target", "valid_source", "valid_target", "until"):
        if isinstance(options.get(name), (str, os.PathLike, int)):
            options[name] = [options[name]]


def train(
    config: Union[Path, Sequence[Path], None] = None,
    *,
    on_validation: Optional[Callable[[Validation], Any]] = None,
    on_log: Optional[Callable[[Progress], Any]] = None,
    progress: bool = False,
    **options: Any,
) -> TrainingEnd:
    """Trains a model and returns where it is.

    >>> dragoman.train("transformer-tiny", source="train.en", target="train.de", valid_source="valid.en",
    ...                valid_target="valid.de", output="run", until="5e", on_validation=print)

    `config` is the name of a preset or a YAML file of settings. Keyword arguments are the flags of `dragoman train`,
    with `_` for `-` and a dictionary for a group: model={"transformer": {"width": 128}}, batch={"tokens": 2000}.
    resume=True continues the run in the folder `output`.

    A callback that returns True ends the run. So does Ctrl-C, as a KeyboardInterrupt, and any other exception of a
    callback. In each case the state of the run is saved first, so resume=True goes on from there. `on_log` is called
    at every interval of the setting `log`. `progress` prints to stderr what `dragoman train` prints.
    """
    configs = _arguments(config, options)
    _listed(options)
    watch_log = None if on_log is None else lambda report: on_log(Progress(**report))
    watch_validation = None if on_validation is None else lambda report: on_validation(Validation(**report))
    return TrainingEnd(**_core.train(configs, options, watch_log, watch_validation, progress))


def plan(config: Union[Path, Sequence[Path], None] = None, **options: Any) -> dict[str, str]:
    """What train() with these arguments would do: sizes, steps, memory and estimated time, without training."""
    configs = _arguments(config, options)
    _listed(options)
    return _core.plan(configs, options)
