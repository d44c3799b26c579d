// All runs, the newest first.

import { change, hrefOf } from "./address.js";
import { element, table } from "./dom.js";
import { count, counted } from "./quantity.js";
import { fetchJson } from "./server.js";

/** Seconds between two looks, while a run measures and otherwise. */
const LIVE_S = 1;
const QUIET_S = 4;

export class RunList {
  name = "";

  constructor() {
    document.title = "weft: runs";
    this.runs = null;
    this.filter = element("input", {
      type: "search", placeholder: "plan, testbed, name, status", size: 28,
      on: { input: (event) => change({ q: event.target.value }, true) },
    });
    this.notice = element("p", { className: "notice", hidden: true, attributes: { role: "status" } });
    this.said = element("p", { className: "quiet", attributes: { "aria-live": "polite" } });
    this.rows = element("div");
    const bar = element("div", { className: "filters" }, element("label", {}, "Filter ", this.filter));
    this.parts = [
      element("header", {}, element("h1", {}, "Runs")), this.notice,
      element("section", { className: "list" }, bar, this.said, this.rows),
    ];
    this._look();
  }

  close() {
    clearTimeout(this.timer);
    this.isOver = true;
  }

  show(asked) {
    this.asked = asked;
    if (this.filter.value !== (asked.q ?? "")) this.filter.value = asked.q ?? "";
    if (this.runs) this._draw();
  }

  async _look() {
    try {
      const { runs } = await fetchJson("api/runs");
      const isNew = JSON.stringify(runs) !== JSON.stringify(this.runs);
      this.runs = runs;
      this.notice.hidden = true;
      if (isNew && !this.isOver) this._draw();
    } catch (error) {
      this.notice.textContent = `The list is as it was: ${error.message}. Trying again.`;
      this.notice.hidden = false;
    }
    const isLive = this.runs?.some((run) => run.live);
    if (!this.isOver) this.timer = setTimeout(() => this._look(), (isLive ? LIVE_S : QUIET_S) * 1000);
  }

  _draw() {
    const words = (this.asked?.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.runs.filter((run) => words.every((word) => textOf(run).includes(word)));
    const live = this.runs.filter((run) => run.live).length;
    const of = found.length < this.runs.length ? ` of ${count(this.runs.length)}` : "";
    this.said.textContent = this.runs.length
      ? `${count(found.length)}${of} runs${live ? `, ${live} measuring now` : ""}`
      : "No runs here yet. Start one: weft run signature --on lab:pair. It will be listed while it measures.";
    const headers = ["Run", "Plan", "Testbed", "Status", "Started", "Nodes", "Samples"];
    const focused = document.activeElement?.dataset?.run;
    this.rows.replaceChildren(...(found.length ? [table(headers, found.map(rowOf))] : []));
    if (focused) [...this.rows.querySelectorAll("a")].find((link) => link.dataset.run === focused)?.focus();
  }
}

const textOf = (run) =>
  [run.name, run.plan, run.testbed, run.live ? "measuring" : run.status, run.error].join(" ").toLowerCase();

function rowOf(run) {
  const link = element("a", { href: hrefOf({ run: run.name }), data: { run: run.name }, on: { click: follow } }, run.name);
  if (run.error) {
    return [link, "", "", element("span", { className: "status damaged" }, "damaged"), "", "", element("span", { className: "error" }, errorText(run.error))];
  }
  return [link, run.plan, run.testbed, statusChip(run), startedText(run.started), count(run.nodes), count(run.samples)];
}

export function errorText(error) {
  return typeof error === "string" ? error : [error.message, error.hint].filter(Boolean).join("; ");
}

/** A link to a run is followed without loading the page again. */
function follow(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const run = event.currentTarget.dataset.run;
  change({ q: "", run });
}

export function statusChip({ status, live, warnings }) {
  const text = live ? "measuring" : status;
  const amount = Array.isArray(warnings) ? warnings.length : warnings;
  const chip = element("span", { className: `status ${live ? "live" : status}` }, text);
  return amount ? element("span", {}, chip, ` ${counted(amount, "warning")}`) : chip;
}

/** The day and the time here; the moment to the second as its title. */
export function startedText(started) {
  const date = new Date(started);
  if (!started || Number.isNaN(date.getTime())) return "";
  const two = (number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return element("time", { dateTime: started, title: started }, `${day} ${two(date.getHours())}:${two(date.getMinutes())}`);
}
