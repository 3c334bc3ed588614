"""A plan has a register after every so many steps."""

import pytest
from runewire_rtl.pipeline import Plan


def test_plans_by_name() -> None:
    plans = [Plan.of(name) for name in ("fast", "balanced", "compact")]
    assert plans == [Plan.FAST, Plan.BALANCED, Plan.COMPACT]


@pytest.mark.parametrize(("plan", "steps"), [(Plan.FAST, 1), (Plan.BALANCED, 2), (Plan.COMPACT, 6)])
def test_a_plan_has_a_register_every_so_many_steps(plan: Plan, steps: int) -> None:
    assert [plan.registers_before(step) for step in range(13)] == [step // steps for step in range(13)]
