"""Makes a wheel (PEP 427) of the package in the build folder. The same files give the same bytes."""

from __future__ import annotations

import argparse
import base64
import hashlib
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

METADATA = """Metadata-Version: 2.1
Name: dragoman
Version: {version}
Summary: Neural machine translation: train, translate, score, align, explain
Requires-Python: {python}
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
"""

WHEEL = """Wheel-Version: 1.0
Generator: dragoman
Root-Is-Purelib: false
Tag: {tag}
"""


def wheel_tag() -> str:
    """The Python and the machine that the module was compiled for. It uses shared libraries of the distribution, so it
    is no manylinux wheel."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{machine}"


def stripped(module: Path, strip: str) -> bytes:
    """The module without symbols that only a debugger needs."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / module.name
        subprocess.run([strip, "--strip-unneeded", "-o", str(copy), str(module)], check=True)
        return copy.read_bytes()


def contents(package: Path, version: str, strip: str, licence: Path, models: list[Path]) -> dict[str, bytes]:
    """All files of the wheel but RECORD, by name."""
    info = f"dragoman-{version}.dist-info"
    python = f">={sys.version_info.major}.{sys.version_info.minor}"
    files = {}
    for path in sorted(package.iterdir()):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            files[f"dragoman/{path.name}"] = path.read_bytes()
    module = package / f"_core.{sysconfig.get_config_var('SOABI')}.so"
    files[f"dragoman/{module.name}"] = stripped(module, strip)
    for folder in models:
        for path in sorted([*folder.glob("*.safetensors"), *folder.glob("README.md")]):
            files[f"dragoman/models/{path.name}"] = path.read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version=version, python=python).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=wheel_tag()).encode()
    files[f"{info}/LICENSE"] = licence.read_bytes()
    return files


def record(files: dict[str, bytes], name: str) -> str:
    """RECORD: the hash and the size of every file."""
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{name},,"]) + "\n"


def write(files: dict[str, bytes], path: Path) -> None:
    """The archive, complete or not at all."""
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            # Deflate makes weights of 8 bits hardly smaller and takes seconds.
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".safetensors") else zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data)
    part.rename(path)


def main() -> None:
    """Called by the target `wheel`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, required=True, help="folder of the built package")
    parser.add_argument("--version", required=True)
    parser.add_argument("--strip", default="strip", help="the program that removes symbols")
    parser.add_argument("--models", type=Path, action="append", default=[], help="folder of models to include")
    parser.add_argument("--output", type=Path, required=True, help="folder of the wheel")
    options = parser.parse_args()
    licence = Path(__file__).resolve().parent.parent / "LICENSE"
    files = contents(options.package, options.version, options.strip, licence, options.models)
    name = f"dragoman-{options.version}.dist-info/RECORD"
    files[name] = record(files, name).encode()
    path = options.output / f"dragoman-{options.version}-{wheel_tag()}.whl"
    write(files, path)
    print(path)


if __name__ == "__main__":
    main()
