// Axes of uPlot: where they are ruled, and how their values are written.

import { count, exactBytes, formatMbps, formatUs } from "./quantity.js";
import { FONT, ink } from "./theme.js";

/** Labels in a row need so many pixels each, in a column so many. */
const ROW_PX = 58;
const COLUMN_PX = 26;
const GIGABIT_FROM_MBPS = 10_000;

const plain = (value) => String(Number(value.toPrecision(8)));

/** What an axis counts: its title, whether it is logarithmic to a base, how a value is written. */
export const SIZE = { title: "Message size", base: 2, text: exactBytes };
export const LATENCY = { title: "Time of one message, one way", base: 10, text: formatUs };
export const RATE = { title: "Throughput", base: 10, text: formatMbps };
export const RESPONSE = { title: "Response time", base: 10, text: formatUs };
export const GAMMA = { title: "Application ratio γ", base: 0, text: plain };
export const USERS = { title: "Users", base: 10, text: count };
export const RUN_TIME = { title: "Since the run's start (s)", base: 0, text: plain };
export const PHASE = { title: "Phase", base: 0, text: count, whole: true };
export const BATCHES = { title: "Batches", base: 0, text: count, whole: true };

export const linear = (kind) => ({ ...kind, base: 0 });

/** A scale that shows these values with a little air; from zero where it is linear and may. */
export function scaleOf(kind, values, fromZero = false) {
  const known = values.filter((value) => Number.isFinite(value) && (!kind.base || value > 0));
  if (!known.length) return { time: false, range: () => [1, 10], distr: kind.base ? 3 : 1, log: kind.base || 10 };
  let [low, high] = [least(known), -least(known.map((value) => -value))];
  if (kind.base) [low, high] = low === high ? [low / 2, high * 2] : [low / 1.4, high * 1.4];
  else {
    const air = (high - low) * 0.03 || Math.abs(high) * 0.05 || 0.5;
    [low, high] = [fromZero ? 0 : low - air, high + (high - low || 1) * (fromZero ? 0.06 : 0) + (fromZero ? 0 : air)];
    if (fromZero && high <= 0) high = 1;
  }
  return { time: false, range: () => [low, high], distr: kind.base ? 3 : 1, log: kind.base || 10 };
}

export function axisOf(kind, isRow, high = 0) {
  const colours = ink();
  const unit = unitOf(kind, high);
  const axis = {
    label: unit ? `${kind.title} (${unit.name})` : kind.title,
    labelFont: `600 ${FONT.replace("12px", "13px")}`,
    labelSize: 24,
    labelGap: 2,
    font: FONT,
    stroke: colours.text,
    grid: { stroke: colours.grid, width: 1 },
    ticks: { stroke: colours.axis, width: 1, size: 5 },
    size: isRow ? 38 : 74,
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map((value) => (value === null ? "" : unit ? unit.text(value) : tidy(kind.text(value)))),
  };
  if (kind.base === 2) axis.splits = (plot, _, low, high) => powers(low, high, 2, roomOf(plot, isRow));
  else if (kind.base) axis.splits = (plot, _, low, high) => decades(low, high, roomOf(plot, isRow));
  else axis.space = isRow ? ROW_PX : COLUMN_PX * 1.4;
  if (kind.whole) axis.incrs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6];
  return axis;
}

/** Of a linear axis of rates or times: one unit for all of its values, which the title names. */
function unitOf(kind, high) {
  if (kind.base) return null;
  const [factor, name] =
    kind.title === RATE.title ? (high >= GIGABIT_FROM_MBPS ? [1e3, "Gb/s"] : [1, "Mb/s"])
    : kind.text === formatUs ? (high >= 1e6 ? [1e6, "s"] : high >= 1e4 ? [1e3, "ms"] : [1, "µs"])
    : [0, ""];
  return factor ? { name, text: (value) => Number((value / factor).toPrecision(6)).toLocaleString("en-US") } : null;
}

/** 10.0 ms as 10 ms. */
const tidy = (text) => text.replace(/\.(\d*?)0+(?!\d)/, (_, digits) => (digits ? `.${digits}` : ""));

const least = (values) => values.reduce((low, value) => (value < low ? value : low), Infinity);

function roomOf(plot, isRow) {
  const ratio = devicePixelRatio || 1;
  return Math.max(2, (isRow ? plot.bbox.width / ratio / ROW_PX : plot.bbox.height / ratio / COLUMN_PX));
}

/** Powers of a base, as many as there is room for: 1 B, 4 B, 16 B; where few are in view, what is between them. */
function powers(low, high, base, room) {
  const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
  const last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
  if (last - first < 2) return between(low, high, room);
  const every = Math.ceil((last - first + 1) / room);
  const found = [];
  for (let power = Math.ceil(first / every) * every; power <= last; power += every) found.push(base ** power);
  return found;
}

/** 1, 10, 100; with room also 1, 2, 5, 10; where less than a decade is in view, even steps. */
function decades(low, high, room) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  for (const mantissas of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1]]) {
    const found = [];
    for (let power = first; power <= last; power += 1) found.push(...mantissas.map((one) => one * 10 ** power));
    const seen = found.filter((value) => value >= low && value <= high);
    if (seen.length <= 2 && mantissas.length === 9) return between(low, high, room);
    if (seen.length <= room) return seen;
  }
  return powers(low, high, 10, room);
}

function between(low, high, room) {
  const rough = (high - low) / Math.min(room, 6);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * unit).find((one) => one >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Number(value.toPrecision(9)));
  return found;
}
