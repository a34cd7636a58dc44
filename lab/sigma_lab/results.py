"""Raw figures as JSON, and the page that is made from them alone, so that it can be made again at any time."""

import json
import re

from .bench import LAB_DIR, TARGET_DIR
from .sigma import NATIVE

RESULTS_DIR = LAB_DIR / "results"


def output_folder(options):
    """Quick runs prove that everything starts; their figures must not take the place of measured ones."""
    return TARGET_DIR / "quick" if options.quick and options.out == RESULTS_DIR else options.out


def write(document, page, folder, check=False):
    """Writes the raw figures and what is made from them; returns the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{document['kind']}.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    return render(path, page, check)


def render(json_path, page, check=False):
    """Writes the Markdown beside the JSON; `page` gives it, and whether a bound is missed. Returns the exit code."""
    document = json.loads(json_path.read_text())
    text, missed = page(document, json_path)
    text = _named(text, document.get("versions", {}))
    markdown = json_path.with_suffix(".md")
    markdown.write_text(text)
    print(f"\n{text}\nwritten: {markdown.name}, {json_path.name} in {markdown.parent}")
    return 1 if check and missed else 0


def _named(text, versions):
    """The page with the form of Sigma in its tables, where that was a native binary."""
    if NATIVE not in versions or "Sigma" in versions:
        return text
    lines = text.split("\n")
    return "\n".join(re.sub(r"\bSigma\b(?! \(native\))", NATIVE, line) if line.startswith("| ") else line for line in lines)


def kind_of(json_path):
    """Which experiment the figures are of."""
    return json.loads(json_path.read_text())["kind"]
