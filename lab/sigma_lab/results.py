"""Raw figures as JSON, and the page that is made from them alone, so that it can be made again at any time."""

import json

from .bench import LAB_DIR, TARGET_DIR

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
    text, missed = page(json.loads(json_path.read_text()), json_path)
    markdown = json_path.with_suffix(".md")
    markdown.write_text(text)
    print(f"\n{text}\nwritten: {markdown.name}, {json_path.name} in {markdown.parent}")
    return 1 if check and missed else 0


def kind_of(json_path):
    """Which experiment the figures are of."""
    return json.loads(json_path.read_text())["kind"]
