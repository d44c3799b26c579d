"""What a what-if found, as it is printed and kept."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from weft.interval import Interval

SCHEMA = 1
NAME = "what-if.json"


class Effect(Struct, frozen=True):
    """One step at one message size before and after. All intervals hold nine times of ten.

    `speedup` is how many times as fast it is: of times where each phase moves a fixed amount, of rates where a trial
    lasts a fixed time, as `by` says. `is_clear` where its interval excludes 1. `in_sample`: the twin was fitted to
    this plan."""

    plan: str
    step: str
    size_bytes: int
    by: Literal["time", "rate"]
    speedup: Interval
    is_clear: bool
    before_s: Interval
    after_s: Interval
    difference_s: Interval
    before_mbps: Interval
    after_mbps: Interval
    difference_mbps: Interval
    in_sample: bool = False


class Check(Struct, frozen=True):
    """A speedup that was predicted at a scale and measured in labs: `measured` is the median over pairs of launches,
    one before and one after, and their range. `error` is measured over predicted, less one. Ends are before and after,
    in seconds or Mb/s, medians over launches."""

    plan: str
    step: str
    size_bytes: int
    by: Literal["time", "rate"]
    predicted: Interval
    measured: Interval
    error: float
    same_sign: bool
    predicted_ends: tuple[float, float]
    measured_ends: tuple[float, float]


class Verification(Struct, frozen=True):
    """`warnings` are those of the labs: where they are late or busy, the machine was measured."""

    scale: float
    launches: int
    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()


class Price(Struct, frozen=True):
    """What the network costs before and after, without nodes; `not_priced` are parts that count nothing. A part costs
    the same however fast it is, unless the prices say otherwise."""

    currency: str
    year: int
    before: float
    after: float
    difference: float
    not_priced: tuple[str, ...] = ()


class Outcome(Struct, frozen=True):
    """What one alternative would bring; with `failed`, why that is not known. `speedup` is the geometric mean over
    steps and sizes of their medians. `notes` say where a prediction goes beyond what was measured."""

    name: str
    changes: tuple[str, ...]
    effects: tuple[Effect, ...] = ()
    speedup: float | None = None
    hosts_before: int = 0
    hosts_after: int = 0
    notes: tuple[str, ...] = ()
    price: Price | None = None
    failed: str | None = None
    verification: Verification | None = None


class WhatIf(Struct, frozen=True):
    """All alternatives, the one that brings most first. Without `draws` the network is taken as its file says."""

    schema: int
    subject: str
    is_measured: bool
    draws: int
    scale: float
    plans: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
