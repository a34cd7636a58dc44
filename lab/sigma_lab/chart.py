"""A small SVG writer: grouped horizontal bars, legible on light and dark pages."""

import math
from typing import NamedTuple
from xml.sax.saxutils import escape

# Middle tones, and grey text: each keeps enough contrast on white and on black, whatever theme shows the picture.
COLOURS = {
    "direct": "#8b949e",
    "nginx": "#2f9e5a",
    "HAProxy": "#3f86d6",
    "Envoy": "#a855c7",
    "Sigma epoll": "#f0a03c",
    "Sigma io_uring": "#e2582b",
    "Sigma": "#f0a03c",
    "Sigma defaults epoll": "#c98a1e",
    "Sigma defaults io_uring": "#b3401b",
    "MOSN": "#b5651d",
    "Sigma relay epoll": "#d8b13a",
    "Sigma relay io_uring": "#c9a227",
    "Sigma route epoll": "#e88a80",
    "Sigma route io_uring": "#d0435b",
    "Zuul 1": "#c2555a",
    "Zuul 2": "#b07a3c",
    "Spring Cloud Gateway": "#6f9a37",
    "Linkerd": "#2a9d9d",
    "Undertow": "#8d6bd1",
    "Traefik": "#4a90b8",
    "Caddy": "#5a8f7b",
}
TEXT = "#7d8794"
PANELS_OF_ROAD = (
    ("CPU µs per request (less is better)", "cpu_us_per_request", "{:.1f}"),
    ("requests per second (more is better)", "rps", "{:,.0f}"),
)
BY_BEGINNING = (("L4", "#3f86d6"), ("L7", "#f0a03c"))
WIDTH = 900
PANEL_GAP = 40
LABEL_WIDTH_MIN = 104
CHARACTER_WIDTH = 6.3
VALUE_WIDTH = 62
BAR_HEIGHT = 15
BAR_STEP = 19
GROUP_GAP = 34
TOP = 58


def road_chart(order, connections, summary):
    """Two panels, CPU time per request and requests per second, with a group of bars for each number of connections."""
    return chart(order, {count: f"{count:,} connections" for count in connections}, summary, "by number of connections")


def chart(order, groups, summary, what):
    """The same, with a group of bars for each case in `groups`, which has their headings; `what` ends the title."""
    title = f"CPU time of the proxy per request, and requests per second, {what}"
    return bars(order, groups, summary, title, PANELS_OF_ROAD)


def bars(order, groups, summary, title, panels, logarithmic_from=None):
    """Two panels of (heading, field of a row, format), a group of bars for each case. With `logarithmic_from` each is on a logarithmic scale from there."""
    panel_width = (WIDTH - PANEL_GAP) / 2
    label_width = max(LABEL_WIDTH_MIN, CHARACTER_WIDTH * max(map(len, order), default=0) + 8)
    rows = sum((name, case) in summary for name in order for case in groups)
    height = TOP + rows * BAR_STEP + len(groups) * GROUP_GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{TEXT}" role="img">',
        f"<title>{escape(title)}</title>",
    ]
    for index, (heading, field, shown) in enumerate(panels):
        left = index * (panel_width + PANEL_GAP)
        frame = _Frame(left, panel_width, label_width, logarithmic_from)
        parts += _panel(heading, field, shown, frame, order, groups, summary)
    return "\n".join([*parts, "</svg>", ""])


class _Frame(NamedTuple):
    """Where a panel stands, how much of its width the names take, and from what value on its scale is logarithmic (None: it isn't)."""

    left: float
    width: float
    label_width: float
    logarithmic_from: float = None

    def scaled(self, value):
        if self.logarithmic_from is None:
            return value
        return math.log(max(1.0, value / self.logarithmic_from))


def _panel(title, field, shown, frame, names, groups, summary):
    left = frame.left
    values = {key: row[field] for key, row in summary.items() if row[field] is not None}
    longest = frame.scaled(max(values.values(), default=1)) or 1
    scale = (frame.width - frame.label_width - VALUE_WIDTH) / longest
    yield _text(left, 20, title, size=15, weight="600")
    y = TOP
    for case, heading in groups.items():
        yield _text(left, y - 6, heading, weight="600")
        for name in names:
            # Both panels keep a row for each, so that a proxy stands at one height.
            if (name, case) in summary:
                value = values.get((name, case))
                length = scale * frame.scaled(value or 0)
                yield from _bar(left + frame.label_width, y, name, length, "–" if value is None else shown.format(value))
                y += BAR_STEP
        y += GROUP_GAP


def _bar(start, y, name, length, shown):
    length = max(1.0, length)
    middle = y + BAR_HEIGHT - 3
    yield _text(start - 8, middle, name, anchor="end")
    colour = COLOURS.get(name) or next((of for start_of, of in BY_BEGINNING if name.startswith(start_of)), TEXT)
    yield f'<rect x="{start:.1f}" y="{y}" width="{length:.1f}" height="{BAR_HEIGHT}" rx="2" fill="{colour}"/>'
    yield _text(start + length + 6, middle, shown)


def _text(x, y, text, size=12, weight="400", anchor="start"):
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}">{escape(text)}</text>'
    )
