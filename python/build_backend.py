"""The PEP 517 build backend: configures the CMake tree above and builds its target `wheel`."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, NoReturn, Optional

SOURCE = Path(__file__).resolve().parent.parent


def build_wheel(wheel_directory: str, config_settings: Optional[dict[str, Any]] = None,
                metadata_directory: Optional[str] = None) -> str:
    """Builds the wheel in build/python-TAG and returns its name.

    CMake options are settings: `pip install ./python --config-settings=DRAGOMAN_CUDA=OFF`.
    """
    del metadata_directory  # the wheel has metadata of its own
    if not (SOURCE / "CMakeLists.txt").is_file():
        raise SystemExit(f"{SOURCE}: expected the source tree of dragoman around the folder python")
    build = SOURCE / "build" / f"python-{sysconfig.get_config_var('SOABI')}"
    output = Path(wheel_directory).resolve()
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "DRAGOMAN_PYTHON": "ON",
        "DRAGOMAN_TESTS": "OFF",
        "DRAGOMAN_WHEEL_FOLDER": str(output),
        "Python_EXECUTABLE": sys.executable,
        **(config_settings or {}),
    }
    definitions = [f"-D{name}={value}" for name, value in options.items()]
    before = set(output.glob("*.whl"))
    _run("cmake", "-S", str(SOURCE), "-B", str(build), "-G", "Ninja", *definitions)
    _run("cmake", "--build", str(build), "--target", "wheel")
    made = [path for path in output.glob("*.whl") if path not in before]
    return made[0].name


def build_sdist(sdist_directory: str, config_settings: Optional[dict[str, Any]] = None) -> NoReturn:
    """The package is built from the whole source tree."""
    del sdist_directory, config_settings
    raise SystemExit("there is no source distribution of the Python package alone: install it from the source tree")


def _run(*command: str) -> None:
    # A build isolated by pip hides its own packages from other programs, such as CMake.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        subprocess.run(command, check=True, env=environment)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} was not found: install the Debian packages of tools/packages") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{' '.join(command)} failed with status {error.returncode}") from None
