"""Where raw files come from: pinned versions of Debian packages and pinned commits of public repositories."""

import hashlib
import io
import shutil
import subprocess
import tarfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SNAPSHOT = "https://snapshot.debian.org/archive/debian/20261115T000000Z"


@dataclass(frozen=True)
class Store:
    """The folder of downloads, a folder of files that need no download, and the data of the recipes."""

    folder: Path
    local: Path | None
    data: Path
    debian: str = SNAPSHOT


@dataclass(frozen=True)
class DebianFile:
    """A file of the Debian archive, with its path below the archive's root and its SHA-256."""

    path: str
    sha256: str

    def address(self) -> str:
        """The file as a person would look it up."""
        return f"Debian: {self.path}"

    def fetch(self, store: Store) -> Path:
        """The file on this machine, downloaded where it is not there yet."""
        name = Path(self.path).name
        for folder in filter(None, (store.local, store.folder)):
            if (folder / name).is_file():
                return self._verified(folder / name)
        print(f"  downloading {name}", flush=True)
        partial = store.folder / f"{name}.partial"
        with urllib.request.urlopen(f"{store.debian}/{self.path}", timeout=60) as answer, partial.open("wb") as file:
            shutil.copyfileobj(answer, file)
        self._verified(partial)
        return partial.rename(store.folder / name)

    def _verified(self, path: Path) -> Path:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != self.sha256:
            raise ValueError(f"{path} has SHA-256 {found}, but {self.sha256} was expected; remove it and run again")
        return path


@dataclass(frozen=True)
class Repository:
    """A repository on GitHub at one commit, whose hash also verifies its files."""

    name: str
    commit: str

    def address(self) -> str:
        """The commit as a person would look it up."""
        return f"https://github.com/{self.name} at {self.commit[:12]}"

    def fetch(self, store: Store) -> Path:
        """A git folder that has the commit, fetched where it is not there yet."""
        folder_name = self.name.replace("/", "+")
        candidates = [store.folder / f"{folder_name}.git"]
        if store.local:
            candidates += [store.local / folder_name / "repo" / ".git", store.local / folder_name / "repo"]
        for candidate in candidates:
            if candidate.is_dir() and _git(candidate, "cat-file", "-e", self.commit).returncode == 0:
                return candidate
        print(f"  fetching {self.name}", flush=True)
        folder = candidates[0]
        for arguments in (("init", "-q", "--bare"),
                          ("fetch", "-q", "--depth", "1", f"https://github.com/{self.name}", self.commit)):
            folder.mkdir(parents=True, exist_ok=True)
            result = _git(folder, *arguments)
            if result.returncode != 0:
                raise OSError(f"git {arguments[0]} of {self.name} failed: {result.stderr.decode().strip()}")
        return folder

    def files(self, store: Store, *paths: str) -> Iterator[tuple[str, str]]:
        """Path and text of each file below the paths, in the order of their names."""
        command = ["git", f"--git-dir={self.fetch(store)}", "archive", "--format=tar", self.commit, "--", *paths]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            yield from _members(tarfile.open(fileobj=process.stdout, mode="r|"), "")
        if process.returncode != 0:
            raise OSError(f"git archive of {self.name} failed with status {process.returncode}")


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", f"--git-dir={folder}", *arguments], capture_output=True, check=False)


def _members(archive: tarfile.TarFile, ending: str) -> Iterator[tuple[str, str]]:
    with archive:
        for member in archive:
            if member.isfile() and member.name.endswith(ending):
                content = archive.extractfile(member)
                if content:
                    yield member.name, content.read().decode("utf-8", "replace")


def tar_files(path: Path, ending: str) -> Iterator[tuple[str, str]]:
    """Path and text of the files of a tar archive whose names end so."""
    return _members(tarfile.open(path), ending)


def deb_file(path: Path, name: str) -> str:
    """The text of one file of a Debian package."""
    data = path.read_bytes()
    at = len(b"!<arch>\n")
    while at < len(data):
        header = data[at:at + 60]
        size = int(header[48:58])
        if header.startswith(b"data.tar"):
            archive = tarfile.open(fileobj=io.BytesIO(data[at + 60:at + 60 + size]))
            return next(_members(archive, name))[1]
        at += 60 + size + size % 2
    raise ValueError(f"{path} has no data")
