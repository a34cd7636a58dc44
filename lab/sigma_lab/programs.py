"""Installed programs: where they are, what version, and the place that a started one has."""

import shutil
import subprocess
from dataclasses import dataclass


@dataclass
class Place:
    """A started program: where it listens, which process it is, after how many requests it ends a client's connection (None: never), and
    whether it encrypts."""

    name: str
    port: int
    started: object
    requests_per_connection: int = None
    encrypted: bool = False

    @property
    def pid(self):
        return self.started.pid

    def url(self, path):
        return f"{'https' if self.encrypted else 'http'}://127.0.0.1:{self.port}{path}"


def find_program(name):
    """The program's path, also where Debian keeps what only an administrator has on the PATH."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/sbin")


def first_line(command):
    """What the command says first, on either output."""
    result = subprocess.run(
        [find_program(command[0]), *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
    )
    lines = result.stdout.decode(errors="replace").strip().splitlines()
    return lines[0].strip() if lines else "unknown"
