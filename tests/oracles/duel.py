"""The adapter for the cases of system "duel": what each kind computes here."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from surveys.fieldwork.reminders.curves import Curve, checked_curve
from surveys.fieldwork.reminders.restrepo import (
    Action,
    ContinuousDuel,
    Piece,
    solve_continuous,
)
from surveys.fieldwork.reminders.slots import fixed_law, margin, solve_slots, worst_case
from tests.oracles.files import Case

STEP = 1e-30
NAMES = {name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "pi", "e")}


def expression(text: str) -> Callable[[Any], Any]:
    """A formula in t, without anything else of Python."""
    tree = ast.parse(text.replace("^", "**"), mode="eval")
    allowed = (
        ast.Expression,
        ast.BinOp,
        ast.UnaryOp,
        ast.operator,
        ast.unaryop,
        ast.Constant,
        ast.Name,
        ast.Load,
        ast.Call,
    )
    assert all(isinstance(node, allowed) for node in ast.walk(tree)), text
    code = compile(tree, text, "eval")
    return lambda t: eval(code, {"__builtins__": {}}, {**NAMES, "t": t})


def curve(text: str) -> Curve:
    """The curve of a formula; its slope by a complex step, exact to rounding."""
    value = expression(text)
    return Curve(value, lambda t: np.imag(value(np.asarray(t) + 1j * STEP)) / STEP)


def solved(given: Case) -> ContinuousDuel:
    return solve_continuous(curve(given["P"]), curve(given["Q"]), given["n"], given["m"])


def symmetric(case: Case) -> Case:
    duel = solved(case["input"])
    law = duel.ours
    return {
        "a": list(law.times),
        "density_over_t_to_minus_3": [action.pieces[-1].constant for action in law.actions],
        "h": list(law.constants),
        "value": duel.value,
    }


def asymmetric(case: Case) -> Case:
    duel = solved(case["input"])
    return {
        "a": list(duel.ours.times),
        "b": list(duel.rivals.times),
        "alpha": duel.ours.mass,
        "beta": duel.rivals.mass,
        "h": list(duel.ours.constants),
        "k": list(duel.rivals.constants),
        "value": duel.value,
    }


def draw(case: Case) -> Any:
    """With P = Q = t every density is a multiple of 1 / t^3."""
    given = case["input"]
    density, line = expression(given["density"]), Curve.power(1)
    times = np.linspace(given["interval_start"], 1, 5)
    multiples = density(times) * times**3
    assert np.ptp(multiples) < 1e-12, f"no multiple of 1 / t^3: {given['density']}"
    pieces = (Piece(given["interval_start"], 1.0, float(multiples[0])),)
    action = Action(line, line, pieces)
    return [action.quantile(uniform) for uniform in given["uniforms"]]


def slots_value(case: Case) -> Any:
    given = case["input"]
    return solve_slots(given["P"], given["Q"], given["n"], given["m"]).value


def payoff(x: Sequence[int], y: Sequence[int], p: Any, q: Any) -> float:
    """P(we succeed first) - P(the rival does) for two schedules."""
    ours, rivals = checked_curve("P", p), checked_curve("Q", q)
    law, rival_law = fixed_law(x, len(ours)), fixed_law(y, len(rivals))
    return margin(law.survival(ours), rival_law.survival(rivals))


def duel_payoff(case: Case) -> Any:
    given = case["input"]
    return payoff(given["x"], given["y"], given["P"], given["Q"])


def schedule_worst_case(case: Case) -> Case:
    given = case["input"]
    chances = given["scale"] * np.arange(1, given["slots"] + 1) / given["slots"]
    least, reply = worst_case(given["schedule"], chances, chances, given["rival_sends"])
    return {"margin": least, "rival_reply": list(reply)}


KINDS: dict[str, Callable[[Case], Any]] = {
    "symmetric": symmetric,
    "asymmetric": asymmetric,
    "draw": draw,
    "slots_value": slots_value,
    "payoff": duel_payoff,
    "schedule_worst_case": schedule_worst_case,
}
# What an output is, where a case states a tolerance for each kind of output.
OUTPUTS = {
    "a": "times",
    "b": "times",
    "alpha": "masses",
    "beta": "masses",
    "h": "constants",
    "k": "constants",
    "value": "value",
}
