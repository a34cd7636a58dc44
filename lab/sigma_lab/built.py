"""Programs that the lab builds from sources of its own, with Go or Maven, where they are older than these."""

import re
import subprocess

from .programs import find_program

GO_TIMEOUT_S = 1_800
MAVEN_TIMEOUT_S = 900
SOON_S = 120
_WHY = re.compile(r"error|could not|cannot|can't|fail", re.IGNORECASE)


def go_built(name, sources, program, package=".", flags=()):
    """Builds a package of the module in the folder `sources`, also one that it only names as a tool; why that can't be done, or None."""
    words = ["build", "-buildvcs=false", *flags, "-o", program, package]
    return built(name, "go", words, sources, program, GO_TIMEOUT_S)


def maven_built(name, sources, program, parent):
    """The same with `mvn clean package`; `parent` is the pom that it inherits from."""
    return built(name, "mvn", ["-B", "-q", "clean", "package"], sources, program, MAVEN_TIMEOUT_S, [parent])


def built(name, builder, words, sources, program, timeout_s=SOON_S, besides=()):
    """The same with any program that builds it, and the words for that; `besides` are files that it is made from, too."""
    files = [*(path for path in sources.rglob("*") if path.is_file()), *besides]
    if program.exists() and all(path.stat().st_mtime <= program.stat().st_mtime for path in files):
        return None
    found = find_program(builder)
    if not found:
        return f"{name} is built by the lab, and {builder} is not installed"
    print(f"building {name} (once; minutes where what it needs has to be fetched)", flush=True)
    program.parent.mkdir(parents=True, exist_ok=True)
    try:
        result = subprocess.run(
            [found, *words], cwd=sources, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{name} could not be built within {timeout_s} s"
    if result.returncode == 0:
        return None
    # Without addresses: a result says why, not where from.
    lines = re.sub(r"\s*\(?https?://[^\s)]+\)?", "", result.stdout.decode(errors="replace")).strip().splitlines()
    why = next((line for line in lines if _WHY.search(line)), lines[-1] if lines else f"{builder} ended with {result.returncode}")
    return f"{name} could not be built: {why.strip()}"
