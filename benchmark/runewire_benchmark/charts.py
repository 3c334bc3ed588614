"""Charts of a comparison as SVG. The style sheet `charts.css` has a colour for each class of series."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources

from runewire_drawing import svg
from runewire_drawing.axes import LogAxis

from .datasheet import Entry
from .findings import number
from .inputs import Case
from .quantities import core_rates, over_texts, rates_of
from .run import Comparison
from .tasks import TASKS, Job, short

WIDTH = 380
"""Width of every chart in units: about as many as a telephone has pixels, so its text stays legible."""

LANES_HEIGHT = 300
"""Height in units of a chart against lanes."""

_MARGIN = 16
_LINE = 14  # least distance between two labels, in units
_NUMBER = 28  # width of a lane count with margins, in units
_NAME = 74  # width of a text's name, in units


_SERIES = {
    **{part: part for part in ("simdutf", "polars", "pyarrow", "stringzilla", "numpy")},
    "replac": "replace", "sparse": "sparse", "golden": "golden", "CPython": "cpython", "Node": "node",
}
"""Style classes by part of an engine's name. The first match decides."""


def charts_style() -> str:
    """The style sheet of the charts, with colours for light and dark pages."""
    return (resources.files(__package__) / "charts.css").read_text(encoding="utf-8")


def series_class(name: str) -> str:
    """The style class of an engine, by its name."""
    return next((found for part, found in _SERIES.items() if part in name), "dense")


def charted_peers(comparison: Comparison, job: Job) -> list[str]:
    """The software in the charts of `job`: all except the golden model, which is not built for speed."""
    return [peer.name for peer in comparison.peers if peer.job == job and peer.name != "golden model"]


def _axis(values: Iterable[float], start: float, end: float) -> LogAxis:
    found = list(values)
    return LogAxis(min(found) / 1.35, max(found) * 1.35, start, end)


def _line(x1: float, y1: float, x2: float, y2: float, name: str) -> str:
    return _path([(x1, y1), (x2, y2)], name)


def _dot(x: float, y: float, name: str, title: str, hollow: bool = False) -> str:
    return svg.circle(x, y, 4.5, f"dot hollow {name}" if hollow else f"dot {name}", title=title)


def _path(points: Sequence[tuple[float, float]], name: str) -> str:
    return svg.path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), f"line {name}")


def _svg(height: float, label: str, parts: Sequence[str]) -> str:
    box = f'viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}"'
    return f'<svg {box}>{"".join(parts)}</svg>'


def _shortened(name: str) -> str:
    """The beginning of a name that fits into `_NAME` units, by the widest letters of its kind."""
    room = float(_NAME)
    for index, letter in enumerate(name):
        room -= 12 if ord(letter) >= 0x1100 or letter in "MWmw" else 9 if letter.isupper() else 7
        if room < 0:
            return f"{name[:max(1, index - 1)]}…"
    return name


def _spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Label positions close to `wanted`, at a distance of `_LINE`, from `low` to `high` if there is room."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    placed: list[float] = []
    for index in order:
        placed.append(max(wanted[index], low))
        low = placed[-1] + _LINE
    for position in range(len(placed) - 1, -1, -1):
        placed[position] = min(placed[position], high)
        high = placed[position] - _LINE
    result = [0.0] * len(wanted)
    for index, place in zip(order, placed, strict=True):
        result[index] = place
    return result


def core_kind(entry: Entry) -> str:
    """A core's name in a chart of its job: its packing, or what it is without a choice of packing."""
    kind = entry.packing or ("validator" if entry.parameters.target is None else entry.core)
    return f"{kind}{' ‡' if entry.stand_in else ''}"


def against_lanes(comparison: Comparison, job: Job) -> str | None:
    """GB/s against lanes: a curve for each kind of core, a horizontal line for each peer, medians over the texts.

    Broken lines are software on text with an error every 64 bytes. None if no core does `job`.
    """
    curves: dict[str, list[tuple[int, float]]] = {}
    cores = comparison.cores(job)
    for entry in sorted(cores, key=lambda entry: entry.lanes):
        rate = over_texts(comparison, core_rates(comparison, job, entry), None)
        if rate is not None:
            curves.setdefault(core_kind(entry), []).append((entry.lanes, rate))
    if not curves:
        return None
    levels: list[tuple[str, float, bool]] = []
    for peer in charted_peers(comparison, job):
        rates = rates_of(comparison.software, peer)
        clean, damaged = (over_texts(comparison, rates, spacing) for spacing in (None, 64))
        if clean is not None:
            levels.append((peer, clean, False))
        if damaged is not None and (clean is None or damaged < 0.9 * clean):
            levels.append((peer, damaged, True))

    left, right, top, bottom = 34, WIDTH - 176, 38, LANES_HEIGHT - 38
    widths = sorted({lanes for curve in curves.values() for lanes, _ in curve})
    rates_shown = [rate for curve in curves.values() for _, rate in curve] + [rate for _, rate, _ in levels]
    y = _axis(rates_shown, bottom, top)
    step = (right - left - 20) / max(1, len(widths) - 1)
    x = {lanes: left + 10 + step * index for index, lanes in enumerate(widths)}

    parts = []
    for tick in y.ticks:
        parts.append(_line(left, y(tick), right, y(tick), "grid"))
        parts.append(svg.text(left - 5, y(tick) + 4, f"{tick:g}", "tick", "end"))
    labelled = widths[::-1][:: 1 if step > _NUMBER else 2]
    parts += [svg.text(x[lanes], bottom + 16, str(lanes), "tick", "middle") for lanes in labelled]
    parts.append(svg.text((left + right) / 2, bottom + 32, "lanes", "tick", "middle"))
    parts.append(svg.text(left - 30, top - 24, TASKS[job].rate, "tick"))

    labels: list[tuple[str, float, str]] = []
    for peer, rate, damaged in levels:
        name = series_class(peer)
        kind = "level broken" if damaged else "level"
        parts.append(_line(left, y(rate), right, y(rate), f"{kind} {name}"))
        program = short(peer, job)
        if damaged:  # strict decoding does not take errors, so the mode says nothing
            program = f"{program.removesuffix(' replace')}, errors"
        labels.append((f"{program} {number(rate)}", y(rate), name))
    for kind, curve in curves.items():
        name = series_class(kind)
        parts.append(_path([(x[lanes], y(rate)) for lanes, rate in curve], f"curve {name}"))
        for lanes, rate in curve:
            title = f"{kind}, {lanes} lanes: {number(rate)} GB/s, modelled"
            parts.append(_dot(x[lanes], y(rate), name, title))
        labels.append((f"{kind} {number(curve[-1][1])}", y(curve[-1][1]), name))
    places = _spread([place for _, place, _ in labels], top, bottom)
    for (label, place, name), line in zip(labels, places, strict=True):
        if abs(line - place) > 2:
            parts.append(_path([(right, place), (right + 4, place), (right + 9, line)], f"leader {name}"))
        parts.append(svg.text(right + 11, line + 4, label, f"label {name}"))
    return _svg(LANES_HEIGHT, f"{TASKS[job].rate} against lanes, {job}", parts)


def by_text(comparison: Comparison, job: Job) -> str | None:
    """GB/s by text: dots for software (hollow: an error every 64 bytes), lines for the cores of each width.

    Of a dense and a sparse core of one width the faster is drawn. None if nothing does `job`.
    """
    texts = [text.name for text in comparison.texts]
    dots: list[tuple[int, float, str, bool]] = []
    for peer in charted_peers(comparison, job):
        rates = rates_of(comparison.software, peer)
        for row, text in enumerate(texts):
            for spacing in (64, None):
                rate = rates.get(Case(text, spacing, None))
                if rate is not None:
                    dots.append((row, rate, peer, spacing is not None))
    lines: dict[int, tuple[str, list[tuple[int, float]]]] = {}
    for entry in comparison.cores(job):
        found = core_rates(comparison, job, entry)
        cases = [Case(text, None, None) for text in texts]
        points = [(row, found[case]) for row, case in enumerate(cases) if case in found]
        known = lines.get(entry.lanes)
        if points and (known is None or points[0][1] > known[1][0][1]):
            lines[entry.lanes] = (series_class(entry.name), points)
    rates_shown = [rate for _, rate, _, _ in dots]
    rates_shown += [rate for _, points in lines.values() for _, rate in points]
    if not rates_shown:
        return None

    pitch, left, right, top = 23, _NAME + 8, WIDTH - 10, 34
    bottom = top + pitch * len(texts)
    x = _axis(rates_shown, left, right)
    parts = []
    for tick in x.ticks:
        parts.append(_line(x(tick), top, x(tick), bottom, "grid"))
        parts.append(svg.text(x(tick), bottom + 15, f"{tick:g}", "tick", "middle"))
    parts.append(svg.text((left + right) / 2, bottom + 31, TASKS[job].rate, "tick", "middle"))
    centre = [top + pitch * (row + 0.5) for row in range(len(texts))]
    for row, text in enumerate(texts):
        parts.append(_line(left, centre[row], right, centre[row], "row"))
        name = svg.text(left - 6, centre[row] + 4, _shortened(text), anchor="end")
        parts.append(f"<g><title>{escape(text)}</title>{name}</g>")
    taken, digits = -math.inf, 0
    for lanes, (name, points) in sorted(lines.items()):
        spine = [(x(rate), centre[row]) for row, rate in points]
        ends = [(spine[0][0], top), *spine, (spine[-1][0], bottom)]
        parts.append(_path(ends, f"width {name}"))
        if ends[0][0] - taken > 10 + 3.5 * (digits + len(str(lanes))):
            parts.append(svg.text(ends[0][0], top - 5, str(lanes), f"label {name}", "middle"))
            taken, digits = ends[0][0], len(str(lanes))
    if lines:
        parts.append(svg.text(left - 6, top - 5, "lanes", "tick", "end"))
    for row, rate, peer, damaged in dots:
        title = f"{short(peer, job)}, {texts[row]}{', an error every 64 bytes' if damaged else ''}: {number(rate)} GB/s"
        parts.append(_dot(x(rate), centre[row], series_class(peer), title, damaged))
    return _svg(bottom + 40, f"{TASKS[job].rate} by text, {job}", parts)


def picture(comparison: Comparison) -> str | None:
    """Decoding and checking against lanes, next to each other, as a standalone SVG file.

    None if no core does either.
    """
    jobs: tuple[Job, ...] = ("decode", "validate")
    charts = [(job, chart) for job in jobs if (chart := against_lanes(comparison, job))]
    if not charts:
        return None
    top, height = 46, LANES_HEIGHT
    parts = []
    for index, (job, chart) in enumerate(charts):
        x = index * (WIDTH + _MARGIN) + _MARGIN
        parts.append(svg.text(x, 28, TASKS[job].title, "title"))
        parts.append(chart.replace("<svg ", f'<svg x="{x}" y="{top}" width="{WIDTH}" height="{height}" ', 1))
    width = len(charts) * (WIDTH + _MARGIN) + _MARGIN
    whole = top + height + 44
    notes = (
        f"Dots: cores on {comparison.target}, modelled.",
        "Lines: software on one thread; broken: an error every 64 bytes.",
    )
    parts += [svg.text(_MARGIN, top + height + 14 + 17 * index, note, "tick") for index, note in enumerate(notes)]
    label = f"GB/s of UTF-8 against lanes, {comparison.target}"
    return svg.document(width, whole, parts, style=charts_style().rstrip(), title=label)
