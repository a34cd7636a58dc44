"""What /proc says about processes, cores and sockets."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

_TICK_US = 1_000_000 // os.sysconf("SC_CLK_TCK")
_ESTABLISHED = "01"
# Of linux/posix-timers.h: what a clock of a process counts, in its number.
_CPUCLOCK_SCHED = 2


@dataclass(frozen=True)
class Usage:
    """CPU time and context switches of a process with all its children and threads since they started."""

    cpu_us: int
    switches: int


def tree(pid):
    """The process and all its living descendants."""
    pids = [pid]
    for parent in pids:
        pids.extend(children(parent))
    return pids


def children(pid):
    """Its living children."""
    return [int(child) for task in _tasks(pid) for child in _read(task / "children").split()]


def usage(pid):
    """Sums utime + stime and context switches over the process tree."""
    cpu_us = switches = 0
    for member in tree(pid):
        fields = _read(Path(f"/proc/{member}/stat")).rpartition(")")[2].split()
        if fields:
            cpu_us += (int(fields[11]) + int(fields[12])) * _TICK_US
        for task in _tasks(member):
            for line in _read(task / "status").splitlines():
                if "ctxt_switches" in line:
                    switches += int(line.split()[1])
    return Usage(cpu_us, switches)


def cpu_us(pid):
    """CPU time of the process tree since its start, by the kernel's clock of each process: not in steps of 10 ms, as `usage` has it."""
    micros = 0
    for member in tree(pid):
        try:
            micros += time.clock_gettime_ns(~member << 3 | _CPUCLOCK_SCHED) // 1000
        except OSError:  # it has ended
            pass
    return micros


def memory_kib(pid):
    """(VmRSS, VmHWM) in KiB: of the children where the process has some (nginx's workers), else of itself."""
    members = tree(pid)
    rss = peak = 0
    for member in members[1:] or members:
        for line in _read(Path(f"/proc/{member}/status")).splitlines():
            if line.startswith("VmRSS:"):
                rss += int(line.split()[1])
            elif line.startswith("VmHWM:"):
                peak += int(line.split()[1])
    return rss, peak


def resident_kib(pid):
    """VmRSS of the process tree."""
    lines = [line for member in tree(pid) for line in _read(Path(f"/proc/{member}/status")).splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def reset_peak(pid):
    """Sets VmHWM of the process tree back to what is resident now."""
    for member in tree(pid):
        try:
            Path(f"/proc/{member}/clear_refs").write_text("5")
        except OSError:
            pass


def threads(pid):
    """Number of threads of the process tree."""
    return sum(len(_tasks(member)) for member in tree(pid))


def open_files(pid):
    """Number of open files of the process tree."""
    return sum(len(_entries(Path(f"/proc/{member}/fd"))) for member in tree(pid))


def core_busy_us(cores):
    """Time that a core, or those of `0,1` together, were not idle since boot, interrupts included; stolen time is not in it."""
    names = {f"cpu{core}" for core in str(cores).split(",")}
    busy = []
    for line in _read(Path("/proc/stat")).splitlines():
        fields = line.split()
        if fields[0] in names:
            user, nice, system, _idle, _iowait, irq, softirq = (int(field) for field in fields[1:8])
            busy.append((user + nice + system + irq + softirq) * _TICK_US)
    if len(busy) < len(names):
        raise ValueError(f"no core {cores}")
    return sum(busy)


def established(local_port=None, remote_port=None):
    """Established IPv4 sockets with that local or remote port, as a set of (local port, remote port)."""
    found = set()
    for line in _read(Path("/proc/net/tcp")).splitlines()[1:]:
        fields = line.split()
        local, remote = int(fields[1][9:], 16), int(fields[2][9:], 16)
        wanted = local_port in (None, local) and remote_port in (None, remote)
        if fields[3] == _ESTABLISHED and wanted:
            found.add((local, remote))
    return found


def open_kinds(pid):
    """What the open files of the process tree are, e.g. `anon_inode:[io_uring]`."""
    kinds = set()
    for member in tree(pid):
        try:
            for entry in os.scandir(f"/proc/{member}/fd"):
                try:
                    kinds.add(os.readlink(entry.path))
                except OSError:
                    continue
        except OSError:
            continue
    return kinds


def mapped(pid, name_part):
    """Whether a file whose name contains `name_part` is mapped into a process of the tree."""
    return any(name_part in _read(Path(f"/proc/{member}/maps")) for member in tree(pid))


def executable(pid):
    """The file that the process runs."""
    return Path(os.readlink(f"/proc/{pid}/exe"))


def _tasks(pid):
    return _entries(Path(f"/proc/{pid}/task"))


def _entries(folder):
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _read(path):
    try:
        return path.read_text()
    except OSError:  # the process or thread has ended
        return ""
