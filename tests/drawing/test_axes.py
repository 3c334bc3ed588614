"""Axes: values to scale, round ticks, labels that do not touch."""

from itertools import pairwise

import pytest
from runewire_drawing.axes import LinearAxis, LogAxis, clear_labels
from runewire_drawing.svg import text_width


@pytest.mark.parametrize("greatest", [0.004, 0.37, 1, 23.7, 99, 370, 736, 1250, 83000])
def test_a_linear_axis_has_some_ticks_and_the_last_is_not_below_any_value(greatest: float) -> None:
    axis = LinearAxis(greatest, start=250, end=50)
    assert 4 <= len(axis.ticks) <= 8
    assert axis.ticks[0] == 0
    assert axis.ticks[-2] < greatest <= axis.ticks[-1] * (1 + 1e-9)
    assert (axis(0), axis(axis.ticks[-1]), axis(axis.ticks[-1] / 2)) == pytest.approx((250, 50, 150))


def test_a_logarithmic_axis_has_equal_steps_for_equal_ratios() -> None:
    axis = LogAxis(2, 128, start=50, end=350)
    assert [axis(value) for value in (2, 16, 128)] == pytest.approx([50, 200, 350])
    assert LogAxis(8, 8, start=50, end=350)(8) == 200


@pytest.mark.parametrize(("pitch", "shown"), [
    (60, [1, 2, 4, 8, 16, 32, 64, 128, 256]), (30, [1, 2, 4, 8, 16, 32, 64, 256]), (20, [1, 4, 16, 64, 256]),
    (1, [256])])
def test_labels_that_would_touch_are_left_out_and_the_last_stays(pitch: float, shown: list[int]) -> None:
    labels = clear_labels([(pitch * index, str(2**index)) for index in range(9)], 11)
    assert [int(label) for _, label in labels] == shown
    for (centre, label), (after, following) in pairwise(labels):
        assert after - centre >= (text_width(label, 11) + text_width(following, 11)) / 2 + 1.5 * 11


@pytest.mark.parametrize(("least", "greatest", "ticks"), [
    (0.9, 110, [1, 2, 5, 10, 20, 50, 100]),
    (0.25, 101, [0.3, 1, 3, 10, 30, 100]),
])
def test_ticks_of_a_logarithmic_axis_are_few(least: float, greatest: float, ticks: list[float]) -> None:
    assert LogAxis(least, greatest, 0, 100).ticks == pytest.approx(ticks)
