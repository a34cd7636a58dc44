"""Results of the smaller experiments: tables and bounds on one page, written as JSON and Markdown."""

from . import machine, report
from .results import write


def write_sheet(kind, title, intro, field, facts, tables, bounds, options):
    """`tables` is [(heading, columns, rows)], `bounds` is [(what, found, expected, met)]; returns the exit code."""
    document = {
        "kind": kind,
        "title": title,
        "intro": intro,
        "machine": facts,
        "versions": {**field.versions, **machine.versions()},
        "left_out": field.left_out,
        "tables": [{"heading": heading, "columns": columns, "rows": rows} for heading, columns, rows in tables],
        "bounds": bounds,
    }
    return write(document, page, options.out, options.check)


def page(document, _json_path):
    """The Markdown of a sheet, and whether a bound is missed."""
    lines = report.page(document["title"], document, document["intro"])
    for table in document["tables"]:
        lines += [f"## {table['heading']}", ""]
        lines += ["| " + " | ".join(table["columns"]) + " |", "|---|" + "---:|" * (len(table["columns"]) - 1)]
        lines += ["| " + " | ".join(_shown(value) for value in row) + " |" for row in table["rows"]]
        lines.append("")
    if document["bounds"]:
        lines += ["## Bounds", "", *report.bounds_table(document["bounds"])]
    return "\n".join(lines), any(not met for *_, met in document["bounds"])


def at_most(what, value, bound, unit):
    """One row of bounds."""
    return what, f"{value:.1f} {unit}", f"<= {bound} {unit}", value <= bound


def _shown(value):
    if value is None:
        return "–"
    return f"{value:,.1f}" if isinstance(value, float) else str(value)
