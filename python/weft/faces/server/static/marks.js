// What the mark in the address stands for, and what the server is asked for its samples with.

import { formatBytes, formatMbps, formatUs } from "./quantity.js";
import { linesOf, stepName } from "./series.js";

/**
 * {key, section, title, text, select, instead}, or null where nothing of that key is there (yet). `instead` selects
 * the samples where `select` finds none.
 */
export function markOf(key, { series, matrices, show, steps, nodes }) {
  if (!key) return null;
  const of = { r: () => routeMark(key, matrices, nodes), p: () => phaseMark(key, show, steps) }[key[0]];
  return of ? of() : pointMark(key, series);
}

function pointMark(key, series) {
  for (const { label, points } of series) {
    const point = points.find((one) => one.key === key);
    if (point) return { key, section: "curves", title: label, text: linesOf(point).join("; "), select: point.select };
  }
  return null;
}

function phaseMark(key, show, steps) {
  const [step, number] = key.slice(1).split(".").map(Number);
  const phase = show?.phases.find((one) => one.step === step && one.phase === number);
  if (!phase) return null;
  const text = `${formatBytes(phase.size_bytes)}; slowest ${formatMbps(phase.rate_mbps)}, mean ${formatMbps(phase.mean_mbps)}; took ${formatUs(1000 * phase.elapsed_ms)}`;
  return { key, section: "phases", title: `${stepName(step, steps)}, phase ${number}`, text, select: { step, phase: number } };
}

function routeMark(key, matrices, nodes) {
  const [step, src, dst] = key.slice(1).split(".").map(Number);
  const matrix = matrices.find((one) => one.step === step);
  const [from, to] = [src, dst].map((node) => matrix?.members.indexOf(node) ?? -1);
  if (from < 0 || to < 0) return null;
  const [rate, latency] = [matrix.rate_mbps[from][to], matrix.latency_us?.[from][to]];
  const known = [rate === null ? "not measured" : formatMbps(rate), latency && formatUs(latency)].filter(Boolean).join(", ");
  const block = matrix.nodes_per_row > 1 ? `; the worst of ${matrix.nodes_per_row} x ${matrix.nodes_per_row} routes, of which the samples are those of the first` : "";
  const name = (node, place) => nodes[node]?.name ?? matrix.nodes[place];
  const size = matrix.pattern === "xray" ? {} : { size: matrix.size_bytes };
  return {
    key, section: "matrix", title: `${matrix.name}: ${name(src, from)} to ${name(dst, to)}`,
    text: `${formatBytes(matrix.size_bytes)} messages, ${known}${block}`,
    select: { step, src, dst, ...size },
    // A round trip is recorded once, for both ways.
    instead: matrix.latency_us ? { step, src: dst, dst: src, ...size } : null,
  };
}
