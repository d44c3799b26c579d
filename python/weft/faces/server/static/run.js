// The page of one run, which grows while it measures.

import { change, hrefOf } from "./address.js";
import { Curves, PhaseCurves } from "./curves.js";
import { element, section, swatch } from "./dom.js";
import { Filters, withStep } from "./filters.js";
import { errorText, statusChip } from "./list.js";
import { markOf } from "./marks.js";
import { Matrix } from "./matrix.js";
import { count, counted } from "./quantity.js";
import { Samples } from "./samples.js";
import { busyParts, diagnosisParts, factParts, figureParts, phaseTable, shownPhases, signatureParts, warningParts } from "./sections.js";
import { seriesOf, stepName } from "./series.js";
import { fetchJson, follow, runAddress } from "./server.js";
import { studyParts } from "./study.js";
import { colourOf, dashOf, onSchemeChange } from "./theme.js";

/** The long documents of a run that measures are asked for so often, in s; samples that are shown are read again so late. */
const AGAIN_S = 4;
const SAMPLES_AGAIN_S = 1;

const GONE = "The run's folder is gone: it was deleted or moved. What is shown was read before.";

const TITLES = {
  warnings: "Warnings", signature: "Signature", curves: "Latency and throughput", matrix: "Routes", phases: "Phases",
  study: "Search for limits", diagnosis: "Diagnosis", busy: "What limits it inside", figures: "Figures of the report",
  facts: "What was measured, on what",
};

export class RunPage {
  constructor(name) {
    this.name = name;
    document.title = `${name}: weft`;
    this.known = { points: new Map(), matrices: [], study: null, status: null, meta: null, show: null, diagnosis: null, figures: null };
    this.isOpen = {};
    this.notice = element("p", { className: "notice", hidden: true, attributes: { role: "status" } });
    this.state = element("p", { className: "state" });
    this.filters = new Filters();
    this.curves = new Curves();
    this.matrix = new Matrix((key) => change({ mark: key }));
    this.phases = new PhaseCurves();
    this.samples = new Samples(name);
    this.sections = Object.fromEntries(Object.entries(TITLES).map(([key, title]) => [key, section(title, key)]));
    this.bodies = Object.fromEntries(Object.entries(this.sections).map(([key, part]) => [key, part.appendChild(element("div"))]));
    this.sections.warnings.classList.add("warnings");
    this.bodies.curves.append(...this.curves.parts);
    this.bodies.matrix.append(this.matrix.part);
    this.phaseLegend = element("p", { className: "marks" });
    this.phaseTable = element("div");
    this.bodies.phases.append(this.phaseLegend, ...this.phases.parts, this.phaseTable);
    this.parts = [this._header(), this.notice, this.filters.part, ...Object.values(this.sections), this.samples.part];
    this.redraw = () => this._recolour();
    onSchemeChange(this.redraw);
    this._follow();
    this._fetchMeta();
  }

  close() {
    this.isOver = true;
    this.stop();
    clearTimeout(this.again);
  }

  show(asked) {
    this.asked = asked;
    this._soon();
    if (asked.figures) this._fetchFigures();
  }

  _header() {
    const back = element("a", { href: hrefOf({}), on: { click: goBack } }, "All runs");
    return element("header", {}, element("div", {}, element("nav", {}, back), element("h1", {}, this.name), this.state));
  }

  _follow() {
    this.stop = follow(this.name, {
      connected: () => this._say(""),
      lost: () => this._lost(),
      gone: () => this._say(GONE, false, true),
      points: ({ points, removed }) => this._takePoints(points, removed ?? []),
      matrix: ({ matrices }) => this._take({ matrices }),
      xray: (study) => this._take({ study }),
      status: (status) => this._takeStatus(status),
    });
  }

  _take(parts) {
    Object.assign(this.known, parts);
    this._soon();
  }

  _takePoints(points, removed) {
    const all = this.known.points;
    for (const [step, size] of removed) all.delete(`${step}.${size}`);
    for (const point of points) all.set(`${point.step}.${point.size_bytes}`, point);
    this._take({ points: all });
    const mark = this.mark;
    if (mark && points.some((point) => point.step === mark.select.step && point.size_bytes === mark.select.size)) this._readAgain();
  }

  _takeStatus(status) {
    if (status.error) {
      this._say(errorText(status.error), true);
      return;
    }
    const before = this.known.status;
    this._take({ status });
    if (!before) this._fetch();
    else if ( (before.samples !== status.samples || before.live !== status.live)) this._fetchLater(status.live);
  }

  _readAgain() {
    this.reading ??= setTimeout(() => {
      this.reading = null;
      if (this.mark && !this.isOver) this.samples.load(this.mark, this.nodes);
    }, 1000 * SAMPLES_AGAIN_S);
  }

  async _lost() {
    const at = new Date().toLocaleTimeString("en-GB");
    try {
      const { runs } = await fetchJson("api/runs");
      const isThere = runs.some((run) => run.name === this.name);
      if (!isThere) this._say(this.known.status ? GONE : "There is no run of this name here.");
    } catch {
      this._say(`The server does not answer since ${at}: what is shown is from before. Trying again.`);
    }
  }

  /** `isLast` where nothing that comes later matters any more. */
  _say(text, isError = false, isLast = false) {
    if (this.isOver || this.hasEnded) return;
    this.hasEnded = isLast;
    this.notice.textContent = text;
    this.notice.hidden = !text;
    this.notice.classList.toggle("error", isError);
  }

  async _fetchMeta() {
    try {
      this._take({ meta: await fetchJson(runAddress(this.name, "meta")) });
    } catch (error) {
      this._refused(error);
    }
  }

  /** The long documents, which come after the first picture, so that they do not delay it. */
  async _fetch() {
    this.again = null;
    try {
      await this._fetchMeta();
      this._take({ show: (await fetchJson(runAddress(this.name))).show });
      if (this.isOver) return;
      if (!this.known.status?.live) this._take({ diagnosis: await fetchJson(runAddress(this.name, "diagnosis")) });
    } catch (error) {
      this._refused(error);
    }
  }

  _refused(error) {
    this.isRefused = true;
    if (error.status && error.status !== 404) this._say(error.message, true);
    this._soon();
  }

  _fetchLater(isLive) {
    if (!isLive) clearTimeout(this.again);
    if (this.again && isLive) return;
    this.again = setTimeout(() => this._fetch(), isLive ? 1000 * AGAIN_S : 0);
  }

  async _fetchFigures() {
    if (this.drawing) return;
    this.drawing = true;
    try {
      this._take({ figures: await fetchJson(runAddress(this.name, "figures")) });
    } catch (error) {
      this._take({ figures: [], figuresError: error.message });
    }
  }

  get steps() {
    const found = {};
    for (const { step, name } of this.known.matrices) found[step] = { name };
    for (const [step, { name }] of (this.known.meta?.plan.steps ?? []).entries()) found[step] = { name };
    const { show } = this.known;
    const curved = new Set([...this.known.points.values(), ...(show?.points ?? []), ...(show?.multi_pair ?? [])].map((point) => point.step));
    for (const [step, one] of Object.entries(found)) one.isMany = !curved.has(Number(step));
    return found;
  }

  get nodes() {
    return this.known.meta?.nodes ?? [];
  }

  /** Draw with the next picture of the browser, however much comes before it. */
  _soon() {
    if (this.isWaiting || this.isOver) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (!this.isOver && this.asked) this._draw();
    });
  }

  _draw() {
    const { known, steps } = this;
    const { show } = known;
    const series = seriesOf([...known.points.values()], show, steps);
    const asked = withStep(this.asked, series);
    this._drawState();
    this._drawFilters(series, asked);
    this._fill("warnings", warningParts(show?.warnings ?? known.status?.warnings ?? []));
    this._fill("signature", signatureParts(show?.signature));
    this._reveal("curves", series.length > 0);
    this.curves.draw(series, asked);
    const slow = known.study?.slow ?? known.diagnosis?.slow ?? [];
    this._reveal("matrix", known.matrices.length > 0);
    this.matrix.draw(known.matrices, asked, slow);
    this._drawPhases(shownPhases(show, steps, asked), asked);
    this._fill("study", studyParts(known.study, asked, this.isOpen));
    this._fill("diagnosis", known.diagnosis && !known.status?.live ? diagnosisParts(known.diagnosis, asked, this.isOpen, this.nodes.length < 3) : []);
    this._fill("busy", busyParts(show, steps, asked, this.isOpen));
    this._drawFigures();
    this._fill("facts", known.meta ? factParts(known, this.isOpen) : []);
    this.mark = markOf(asked.mark, { series, matrices: known.matrices, show, steps, nodes: this.nodes });
    this._drawMark();
    const root = document.documentElement;
    if (series.length || known.matrices.length) root.dataset.drawn ??= String(Math.round(performance.now()));
    root.dataset.samples = String(known.status?.samples ?? "");
  }

  _drawState() {
    const { status, meta, show } = this.known;
    const total = meta ? meta.plan.steps.length * (meta.plan.launches ?? 1) : 0;
    const parts = [
      status && statusChip({ ...status, warnings: 0 }),
      meta && `${meta.plan.name} on ${meta.testbed.spec ?? meta.testbed.name}`,
      meta && counted(meta.nodes.length, "node"),
      status && counted(status.samples, "sample"),
      status?.live && total ? `${count(status.done)} of ${count(total)} launches of steps done` : "",
      !show && !this.isRefused ? "reading more of it" : "",
    ].filter(Boolean);
    this.state.replaceChildren(...parts.flatMap((part, i) => (i ? [" · ", part] : [part])));
    if (status?.live && total) this.state.append(element("progress", { max: total, value: status.done, attributes: { "aria-label": "Progress" } }));
  }

  _drawFilters(series, asked) {
    const { steps } = this;
    this.filters.draw(asked, {
      steps: Object.keys(steps).map((index) => ({ index, name: stepName(index, steps) })),
      series,
      hasSizes: series.some((one) => one.over === "size"),
      nodes: Math.max(this.nodes.length, ...this.known.matrices.map((one) => one.nodes.length)),
    });
  }

  _drawPhases(phases, asked) {
    const { steps } = this;
    this._reveal("phases", phases.length > 0);
    const shown = this.phases.draw(phases, steps, asked);
    const chips = shown.length > 1 ? shown : [];
    this.phaseLegend.replaceChildren(...chips.map(({ label, style }) => element("span", {}, swatch(colourOf(style), dashOf(style)), label)));
    const key = JSON.stringify(phases);
    if (this.phaseKey === key) return;
    this.phaseKey = key;
    this.phaseTable.replaceChildren(...[phaseTable(phases, steps, this.isOpen)].filter(Boolean));
  }

  _drawFigures() {
    const { meta, figures, figuresError } = this.known;
    if (!meta) return;
    const open = element("button", { type: "button", className: "tool", on: { click: () => change({ figures: this.asked.figures ? "" : "shown" }) } },
      this.asked.figures ? "Hide" : "Draw them");
    const shown = !this.asked.figures ? [] : figuresError ? [element("p", { className: "error" }, figuresError)]
      : figures?.length ? figureParts(this.name, figures)
        : [element("p", { className: "quiet" }, figures ? "The report has no figures of this run." : "Being drawn.")];
    this._fill("figures", [open, ...shown], JSON.stringify([this.asked.figures, figures, figuresError]));
  }

  _drawMark() {
    const home = this.mark && this.sections[this.mark.section];
    if (home && home.nextSibling !== this.samples.part) home.after(this.samples.part);
    this.samples.show(this.mark, this.nodes);
  }

  /** Put parts into a section, unless they say the same as those that are there; without parts it is hidden. */
  _fill(name, parts, key = parts.map((part) => part.outerHTML).join()) {
    this._reveal(name, parts.length > 0);
    if (this.bodies[name].key === key) return;
    this.bodies[name].key = key;
    this.bodies[name].replaceChildren(...parts);
  }

  _reveal(name, isThere) {
    this.sections[name].hidden = !isThere;
  }

  _recolour() {
    if (this.isOver) return;
    this._soon();
    requestAnimationFrame(() => {
      this.curves.redraw();
      this.phases.plot.redraw();
      this.samples.redraw();
    });
  }
}

function goBack(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", location.pathname);
  dispatchEvent(new PopStateEvent("popstate"));
}
