"""Looking into a running Sigma's JVM, with the tools of its own JDK."""

import json
import re
import subprocess

from . import procfs
from .bench import LAB_DIR, LabError

_PROBE = LAB_DIR / "src/main/java/net/oooops/sigma/lab/AllocatedBytes.java"
TOOL_TIMEOUT_S = 120


def jcmd(pid, *words):
    """What `jcmd PID WORDS` prints."""
    tool = procfs.executable(pid).parent / "jcmd"
    result = subprocess.run(
        [str(tool), str(pid), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TOOL_TIMEOUT_S, check=False
    )
    text = result.stdout.decode(errors="replace")
    if result.returncode != 0:
        raise LabError(f"jcmd {' '.join(words)} ended with {result.returncode}\n{text}")
    return text


def heap_used_kib(pid):
    """Heap in use after full collections: two, so that what the first one only queued for release is gone too."""
    jcmd(pid, "GC.run")
    jcmd(pid, "GC.run")
    used_kib = sum(_used_kib(line) for line in jcmd(pid, "GC.heap_info").splitlines())
    if not used_kib:
        raise LabError("GC.heap_info: no `used` found (expected: one line per heap or generation)")
    return used_kib


def loaded_classes(pid):
    """How many classes the JVM has loaded and not given back."""
    found = re.search(r"(\d+) classes", jcmd(pid, "VM.metaspace"))
    if not found:
        raise LabError("VM.metaspace: no number of classes found")
    return int(found.group(1))


def direct_kib(pid):
    """Memory that Java code holds outside the heap (direct buffers, segments, Unsafe): native memory tracking's `Other`.

    Wants the JVM started with -XX:NativeMemoryTracking=summary.
    """
    found = re.search(r"Other \(reserved=\d+KB, committed=(\d+)KB\)", jcmd(pid, "VM.native_memory", "summary", "scale=KB"))
    if not found:
        raise LabError("VM.native_memory: no `Other` found (expected: -XX:NativeMemoryTracking=summary)")
    return int(found.group(1))


class AllocationProbe:
    """Bytes allocated per thread, read from outside by a small Java program that stays attached. Use with `with`."""

    def __init__(self, pid):
        java = procfs.executable(pid).parent / "java"
        self._popen = subprocess.Popen(
            [str(java), str(_PROBE), str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if self._popen.stdout.readline().strip() != "ready":
            self.__exit__()
            raise LabError(f"AllocatedBytes could not attach to process {pid}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._popen.stdin.close()
        try:
            self._popen.wait(10)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def read(self):
        """{thread name: bytes allocated since it started}; threads that share a name are summed."""
        self._popen.stdin.write("\n")
        self._popen.stdin.flush()
        line = self._popen.stdout.readline()
        if not line:
            raise LabError("AllocatedBytes ended before it answered")
        total = {}
        for name, count in json.loads(line):
            total[name] = total.get(name, 0) + count
        return total


def _used_kib(line):
    """`used 123K` or `123K used`, as the collectors write it; not of spaces inside a generation, nor of metadata."""
    found = re.search(r"used (\d+)([KM])|(\d+)([KM]) used", line)
    if not found or "pace" in line:
        return 0
    number, unit = found.group(1) or found.group(3), found.group(2) or found.group(4)
    return int(number) * (1024 if unit == "M" else 1)
