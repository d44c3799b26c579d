// The search for limits: what it believes so far, and what it asks next.

import { element, foldedTable } from "./dom.js";
import { nodeTest } from "./filters.js";
import { count, counted, formatMbps, percent, rangeMbps } from "./quantity.js";

const DIRECTIONS = { out: "out", in: "in", inside: "inside", both: "out and in" };

/** The sentences and tables of the document of `xray`; nothing where the run has no search. */
export function studyParts(study, asked, isOpen) {
  if (!study) return [];
  return networkParts(study.networks ?? [study], isOpen, (one, open) => partsOf(one, asked, open));
}

/** The parts of each network below its heading, of an only one without; each keeps by itself what the reader opened. */
export function networkParts(found, isOpen, partsOf) {
  return found.flatMap((one) => {
    if (one.network === undefined) return partsOf(one, isOpen);
    const heading = `Network ${one.network}`;
    const parts = partsOf(one, (isOpen[heading] ??= {})).filter(Boolean);
    return parts.length ? [element("h3", {}, heading), ...parts] : [];
  });
}

function partsOf(study, asked, isOpen) {
  const touches = nodesTouched(asked);
  const state = study.is_over ? "The search has ended" : "The search goes on";
  const said = `${state}: ${counted(study.trials, "trial")} so far, ${counted(study.limits.length, "limit")} and ${counted(study.slow.length, "slow node, direction or route", "slow nodes, directions or routes")} believed, ${counted(study.undecided.length, "question")} open.`;
  const believes = study.limits.filter((one) => touches(one.members)).map(limitRow);
  const slow = study.slow.filter((one) => touches(one.nodes)).map(slowRow);
  const asks = study.asks.filter((one) => touches([...one.group, ...one.within])).map(askRow);
  return [
    element("p", {}, said),
    foldedTable("Limits that nodes share, as believed so far", LIMIT_HEADERS, believes, isOpen),
    foldedTable("Slow nodes, directions and routes", SLOW_HEADERS, slow, isOpen),
    listOf("Not decided yet", study.undecided),
    study.is_over ? null : foldedTable("What it asks next", ["Experiment", "Group", "Within", "Rounds"], asks, isOpen),
    listOf("Tried last", timesOf(study.last).slice(-5).reverse()),
    foldedTable("Groups by distance", ["Nodes", "Names"], study.candidates.map((one) => [count(one.length), folded(one)]), { ...isOpen, always: true }),
  ].filter(Boolean);
}

export const LIMIT_HEADERS = ["Limit", "Of", "Against", "Direction", "Carries at most", "Confidence", "Evidence"];
export const limitRow = ({ kind, members, against, direction, capacity_mbps: capacity, confidence, evidence }) =>
  [kind, folded(members), against ? folded(against) : "all others", DIRECTIONS[direction] ?? direction ?? "", rangeMbps(capacity), percent(confidence), evidence];

export const SLOW_HEADERS = ["What", "Nodes", "Direction", "Rate", "Expected", "Evidence"];
export const slowRow = ({ kind, nodes, direction, rate_mbps: rate, expected_mbps: expected, evidence }) =>
  [kind, nodes.join(kind === "route" ? " to " : ", "), direction ?? "", rangeMbps(rate), expected ? formatMbps(expected) : "", evidence ?? ""];

const askRow = ({ kind, group, within, rounds }) => [kind, folded(group), within.length ? folded(within) : "", count(rounds)];

function listOf(title, texts) {
  if (!texts.length) return null;
  return element("div", {}, element("h4", {}, title), element("ul", {}, texts.map((text) => element("li", {}, text))));
}

/** The same ones in a row once, with how often. */
function timesOf(texts) {
  const runs = [];
  for (const text of texts) {
    if (runs.at(-1)?.text === text) runs.at(-1).times += 1;
    else runs.push({ text, times: 1 });
  }
  return runs.map(({ text, times }) => (times > 1 ? `${text} (${times} times)` : text));
}

/** Whether nodes are among those asked for. */
export function nodesTouched(asked) {
  const test = nodeTest(asked.nodes);
  return (names) => !test || names.some(test);
}

/** n1, n2, n3, n7 as n[1-3,7]. */
export function folded(names) {
  const stems = Map.groupBy(names, (name) => /^(.*?)(\d*)$/s.exec(name)[1]);
  return [...stems].map(([stem, of]) => foldedStem(stem, of.map((name) => name.slice(stem.length)))).join(",");
}

function foldedStem(stem, ends) {
  if (ends.length === 1 || ends.includes("") || ends.some((end) => end.startsWith("0"))) return ends.map((end) => stem + end).join(",");
  const ranges = [];
  for (const number of ends.map(Number).sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return `${stem}[${ranges.map(([low, high]) => (low === high ? low : `${low}-${high}`)).join(",")}]`;
}
