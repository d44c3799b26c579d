// Curves of what was measured, from the points of the server and the document of `weft show --json`.

import { counted, formatMbps, formatUs, exactBytes, percent, rangeMbps, rangeUs, significant } from "./quantity.js";

/**
 * A series is {key, step, label, style, over, points}; a point {x, rate, latency, lines, select, key ...}.
 * `over` says what x is: "size", "gamma" or "users". `select` is what the server is asked for its samples with.
 */
export function seriesOf(points, show, steps) {
  const found = [...sized(points, steps), ...loaded(show, steps), ...severalPairs(show, steps)];
  return found.map((one, style) => ({ ...one, style }));
}

export function stepName(step, steps, pattern = "") {
  return steps[step]?.name ?? (pattern || `step ${step}`);
}

function sized(points, steps) {
  const bySize = [...points].sort((a, b) => a.step - b.step || a.size_bytes - b.size_bytes);
  return [...Map.groupBy(bySize, (point) => point.step)].map(([step, mine]) => ({
    key: `s${step}`,
    step,
    over: "size",
    label: labelOf(step, steps, mine[0]),
    points: mine.map((point) => ({
      x: point.size_bytes,
      size: point.size_bytes,
      rate: point.throughput_mbps,
      latency: point.latency_us,
      modes: point.modes > 1 ? point.mode_times_us : [],
      shares: point.mode_shares,
      dip: point.dip,
      launches: point.launches,
      note: noteOf(point),
      key: `s${step}.${point.size_bytes}`,
      select: { step, size: point.size_bytes },
    })),
  }));
}

function labelOf(step, steps, { pattern, transport }) {
  const name = stepName(step, steps, pattern);
  const how = [name === pattern ? "" : pattern, transport].filter(Boolean).join(", ");
  return `${name}${how && ` (${how})`}`;
}

/** How many launches a point stands on, and what is odd about it; as in the report. */
function noteOf(point) {
  const modes = point.modes > 1 ? `; ${point.modes} modes: ${point.mode_times_us.map(formatUs).join(", ")}` : "";
  const dip = point.dip ? `; a dip, expected ${formatMbps(point.expected_mbps.median)}` : "";
  return counted(point.launches, "launch", "launches") + modes + dip;
}

/** Beside an application, and of a web server: a phase for each ratio or number of users. */
function loaded(show, steps) {
  const mine = (show?.points ?? []).filter((point) => "gamma" in point || "users" in point);
  return [...Map.groupBy(mine, (point) => point.step)].map(([step, of]) => {
    const phases = show.phases.filter((phase) => phase.step === step);
    const over = "gamma" in of[0] ? "gamma" : "users";
    return {
      key: `s${step}`,
      step,
      over,
      label: labelOf(step, steps, of[0]),
      points: of.map((point, i) => ({
        x: point[over],
        size: point.size_bytes,
        rate: point.throughput_mbps,
        latency: over === "users" ? quantiles(point.response_us) : null,
        modes: [],
        launches: point.launches,
        note: over === "gamma" ? gammaNote(point) : usersNote(point),
        key: `s${step}.p${phases[i]?.phase ?? i}`,
        select: { step, phase: phases[i]?.phase ?? i },
      })),
    };
  });
}

const quantiles = ({ median, p95 }) => ({ median, low: median, high: p95 });

function gammaNote({ gamma, gain, laws_mbps: laws }) {
  const predicted = laws ? `; LAWS predict ${formatMbps(laws)}` : "";
  return `γ = ${significant(gamma)}: gain ${percent(gain)}${predicted}`;
}

function usersNote(point) {
  const { median, p95, p99 } = point.response_us;
  const response = [median, p95, p99].map(formatUs).join(", ");
  return `${counted(point.users, "user")}: ${significant(point.requests_per_s, 4)} requests/s; response median, 95 %, 99 %: ${response}`;
}

/** Several pairs at once: a series for each test, policy and number of pairs. */
function severalPairs(show, steps) {
  const name = ({ step, test, policy, pairs }) => `${step}.${test}.${policy}.${pairs}`;
  return [...Map.groupBy(show?.multi_pair ?? [], name)].map(([key, of]) => ({
    key: `m${key}`.replaceAll(" ", "_"),
    step: of[0].step,
    over: "size",
    label: `${of[0].test}, ${of[0].policy}, ${counted(of[0].pairs, "pair")}`,
    points: [...of].sort((a, b) => a.size_bytes - b.size_bytes).map((point) => ({
      x: point.size_bytes,
      size: point.size_bytes,
      rate: point.sum_mbps,
      latency: point.latency_us,
      modes: [],
      launches: null,
      note: pairsNote(point),
      key: `m${point.step}.${point.phase}.${point.size_bytes}`,
      select: { step: point.step, phase: point.phase },
    })),
  }));
}

function pairsNote({ timings, lowest_mbps: lowest, highest_mbps: highest, pairs, of_alone: share }) {
  const each = pairs > 1 ? `; each pair ${formatMbps(lowest)} to ${formatMbps(highest)}` : "";
  const alone = share ? `; ${percent(share.median ?? share)} of as many pairs alone` : "";
  return `sum of ${counted(pairs, "pair")}, ${counted(timings, "timing")}${each}${alone}`;
}

/** What hovering a point says. */
export function linesOf(point) {
  return [
    `${exactBytes(point.size)}${point.x === point.size ? "" : " messages"}`,
    ...(point.latency ? [`Time ${rangeUs(point.latency)}`] : []),
    `Throughput ${rangeMbps(point.rate)}`,
    point.note,
  ];
}

/** What the point table has of a point, and the headers of it. */
export const POINT_HEADERS = ["Series", "Size", "Time, one way", "Throughput", "Remark"];
export const cellsOf = (label, point) =>
  [label, exactBytes(point.size), rangeUs(point.latency), rangeMbps(point.rate), point.note];
