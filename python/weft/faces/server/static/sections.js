// The sections of a run's page that are tables and sentences.

import { element, foldedTable, prose } from "./dom.js";
import { startedText } from "./list.js";
import { isOfSizes, isOfStep } from "./filters.js";
import { count, formatBytes, formatMbps, formatUs, percent, rangeBytes, rangeMbps, rangeUs } from "./quantity.js";
import { stepName } from "./series.js";
import { runAddress } from "./server.js";
import { LIMIT_HEADERS, SLOW_HEADERS, folded, limitRow, networkParts, nodesTouched, slowRow } from "./study.js";

/** The numbers of the signature. */
export function signatureParts(signature) {
  if (!signature) return [];
  const numbers = [
    ["Latency", rangeUs(signature.latency_us)], ["Peak", rangeMbps(signature.peak_mbps)],
    ["Half peak (n½)", rangeBytes(signature.half_power_bytes)], ["Saturation", rangeBytes(signature.saturation_bytes)],
    ["Launches", count(signature.launches)],
  ].filter(([, text]) => text !== "none");
  return [element("dl", { className: "numbers" }, numbers.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))))];
}

/** A run's warnings, each with its code. */
export function warningParts(warnings) {
  const items = warnings.map(({ code, message, hint }) =>
    element("li", {}, prose(message), " ", element("code", { title: `weft explain ${code}` }, code), ...(hint ? [element("br"), element("span", { className: "quiet" }, prose(hint))] : [])));
  return items.length ? [element("ul", {}, items)] : [];
}

/** The document of `weft diagnose --json`; of a pair only where it has findings. */
export function diagnosisParts(diagnosis, asked, isOpen, isPair) {
  const touches = nodesTouched(asked);
  const said = [...(diagnosis.explanations ?? []), ...(diagnosis.recommendations ?? [])].map((one) => one.text ?? one.title).filter(Boolean);
  if (isPair && !said.length && !diagnosis.limits.length && !diagnosis.slow.length) return [];
  return [
    element("p", {}, prose(diagnosis.verdict)),
    ...networkParts(diagnosis.networks ?? [diagnosis], isOpen, (one, open) => foundParts(one, touches, open)),
    said.length ? element("ul", {}, said.map((text) => element("li", {}, prose(text)))) : null,
  ].filter(Boolean);
}

function foundParts(found, touches, isOpen) {
  return [
    foldedTable("Limits that nodes share", LIMIT_HEADERS, found.limits.filter((one) => touches(one.members)).map(limitRow), isOpen),
    foldedTable("Slow nodes, directions and routes", SLOW_HEADERS, found.slow.filter((one) => touches(one.nodes)).map(slowRow), isOpen),
  ];
}

const PHASE_HEADERS = ["Step", "Phase", "Size", "Slowest route", "Its rate", "Mean rate", "Sum of rates", "Took"];

/** The phases of the steps that `isMany` says are between many nodes. */
export function shownPhases(show, steps, asked) {
  const touches = nodesTouched(asked);
  return (show?.phases ?? []).filter((phase) => steps[phase.step]?.isMany && isOfStep(phase.step, asked)
    && isOfSizes(phase.size_bytes, asked) && touches(phase.slowest ?? []));
}

export function phaseTable(phases, steps, isOpen) {
  const rows = phases.map((phase) => [
    stepName(phase.step, steps), String(phase.phase), formatBytes(phase.size_bytes), (phase.slowest ?? []).join(" to "),
    formatMbps(phase.rate_mbps), formatMbps(phase.mean_mbps), formatMbps(phase.aggregate_mbps), formatUs(1000 * phase.elapsed_ms),
  ]);
  return foldedTable("Phases", PHASE_HEADERS, rows, isOpen);
}

/** What limited simulated transfers, and how busy parts of nodes were at their busiest. */
export function busyParts(show, steps, asked, isOpen) {
  const limits = (show?.bottlenecks ?? []).filter((one) => isOfStep(one.step, asked));
  const rows = limits.map((one) => [stepName(one.step, steps), one.constraint, count(one.transfers), percent(one.share)]);
  const touches = nodesTouched(asked);
  const busiest = Map.groupBy((show?.occupation ?? []).filter((one) => isOfStep(one.step, asked) && touches([one.node])), (one) => `${one.step} ${one.node} ${one.part}`);
  const parts = [...busiest.values()].map((of) => of.reduce((most, one) => (one.share > most.share ? one : most)))
    .filter((one) => one.share > 0).sort((a, b) => b.share - a.share)
    .map((one) => [`${one.node} ${one.part}`, percent(one.share), formatBytes(one.size_bytes), stepName(one.step, steps), sharesText(one.shares)]);
  return [
    foldedTable("What limited transfers", ["Step", "Limit", "Transfers", "Share"], rows, isOpen),
    foldedTable("Parts of nodes at their busiest", ["Part", "Busy", "At", "Step", "With"], parts, isOpen),
  ].filter(Boolean);
}

const sharesText = (shares) =>
  Object.entries(shares ?? {}).filter(([, share]) => share >= 0.005).map(([task, share]) => `${task} ${percent(share)}`).join(", ");

/** What was measured, on what. */
export function factParts({ meta, show }, isOpen) {
  const { testbed, nodes, plan } = meta;
  const facts = [
    ["Plan", [plan.name, plan.title].filter(Boolean).join(": ")],
    ["Testbed", [testbed.spec ?? testbed.name, testbed.title ?? testbed.fabric?.title].filter(Boolean).join(": ")],
    ["Nodes", `${count(nodes.length)}: ${folded(nodes.map((node) => node.name))}`],
    ["Started", startedText(meta.started)], ["Command", (meta.command ?? []).join(" ")], ["weft", meta.weft_version],
    ["Lost", (meta.lost ?? []).map((one) => one.node ?? one.name).filter(Boolean).join(", ")],
  ].filter(([, text]) => text);
  return [
    element("dl", {}, facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])),
    nodeTable(nodes, isOpen),
    foldedTable("What became of messages that may get lost", ["Step", "Size", "Sent", "Lost", "Of them, no room at the receiver"], (show?.deliveries ?? []).map((one) => deliveryRow(one, meta)), isOpen),
    pretty("Plan, as resolved", plan, isOpen), pretty("Testbed", testbed, isOpen),
  ].filter(Boolean);
}

/** What each node said of itself that is a text or a number. */
function nodeTable(nodes, isOpen) {
  const isPlain = (value) => value && typeof value !== "object";
  const names = [...new Set(nodes.flatMap(({ facts }) => Object.keys(facts ?? {}).filter((name) => isPlain(facts[name]))))];
  const rows = nodes.map(({ name, address, facts }) => [name, address ?? "", ...names.map((one) => textOf(facts?.[one]))]);
  const isKnown = names.length > 0 || nodes.some((node) => node.address);
  return foldedTable("Nodes", ["Node", "Address", ...names.map((name) => name.replaceAll("_", " "))], isKnown ? rows : [], isOpen);
}

const deliveryRow = (one, { plan }) =>
  [plan.steps[one.step].name, formatBytes(one.size_bytes), count(one.sent), percent(one.loss_pct.median / 100), count(one.overrun)];

function textOf(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function pretty(title, document, isOpen) {
  const remember = { toggle: (event) => { isOpen[title] = event.target.open; } };
  const code = element("pre", {}, element("code", {}, JSON.stringify(document, null, 2)));
  return element("details", { open: Boolean(isOpen[title]), on: remember }, element("summary", {}, title), code);
}

/** The report's figures, drawn by the server when they are asked for. */
export function figureParts(run, figures) {
  return figures.map(({ name, title, caption, address }) => element("figure", { className: "paper" },
    element("img", { alt: `${title}. ${caption ?? ""}`, src: runAddress(run, address ?? `figures/${encodeURIComponent(name)}`) }),
    element("figcaption", {}, caption ?? "")));
}

