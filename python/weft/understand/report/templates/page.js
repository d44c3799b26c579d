// Draws the figures, and joins them to the legend, the tools and the theme of the page.
"use strict";
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const datasets = Object.fromEntries(
    Object.entries(page.tables).map(([name, columns]) => [name, rowsOf(columns)]));
  const views = new Map();
  const detail = pointDetails(page, () => ({ ...page.configs[mode()], background: null }), mode);
  const MANY_DOTS = 4000;
  const AXIS_WIDTH = 66;
  const LAST_LABEL = 24;
  const LEAST_SQUARE = 260;
  const LEAST_SIDE_BY_SIDE = 620;

  function rowsOf(columns) {
    const names = Object.keys(columns);
    const length = names.length ? columns[names[0]].length : 0;
    return Array.from({ length }, (_, i) =>
      Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  }

  function mode() {
    const chosen = document.documentElement.dataset.theme;
    return chosen || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }

  function entries() {
    return [...document.querySelectorAll(".entry")];
  }

  function shown() {
    return entries()
      .filter((entry) => entry.getAttribute("aria-pressed") === "true")
      .map((entry) => entry.dataset.series);
  }

  // The legend of runs is the page's own; any other stays with its figure.
  function withoutLegends(part) {
    for (const inside of ["layer", "hconcat", "vconcat"])
      if (part[inside]) return { ...part, [inside]: part[inside].map(withoutLegends) };
    const encoding = Object.entries(part.encoding).map(([channel, definition]) =>
      [channel, definition.scale && !/^([xy]|fill)/.test(channel) && definition.type !== "quantitative"
        ? { ...definition, legend: null } : definition]);
    return { ...part, encoding: Object.fromEntries(encoding) };
  }

  function tablesOf(figure) {
    return Object.fromEntries(figure.tables.map((name) => [name, datasets[name]]));
  }

  // Panels stand side by side where there is room; they cannot follow the page's width by themselves.
  function panelsOnPage({ hconcat, ...rest }, room) {
    const beside = room >= LEAST_SIDE_BY_SIDE;
    const width = beside ? (room - rest.spacing) / 2 - AXIS_WIDTH : room - AXIS_WIDTH;
    const panels = hconcat.map((panel) => ({ ...panel, width }));
    return { ...rest, [beside ? "hconcat" : "vconcat"]: panels };
  }

  function plotOnPage(spec, square, room) {
    return {
      ...spec,
      width: "container",
      height: square ? Math.min(spec.height, Math.max(LEAST_SQUARE, room)) : spec.height,
      autosize: { type: "fit-x", contains: "padding" },
    };
  }

  function stackOnPage({ vconcat, ...rest }, room) {
    const width = room - AXIS_WIDTH - LAST_LABEL;
    return { ...rest, vconcat: vconcat.map((panel) => ({ ...panel, width })) };
  }

  // The page has its own heading, so the figure's is left out.
  function onPage(figure, room) {
    const spec = overlays(figure) ? withoutLegends(figure.spec) : figure.spec;
    const fitted = spec.hconcat ? panelsOnPage(spec, room)
      : spec.vconcat ? stackOnPage(spec, room) : plotOnPage(spec, figure.square, room);
    const config = { ...page.configs[mode()], background: null };
    return { ...fitted, title: undefined, datasets: tablesOf(figure), config };
  }

  function onPaper(figure) {
    return { ...figure.spec, datasets: tablesOf(figure), config: page.configs.light };
  }

  function options(figure) {
    const dots = Math.max(0, ...figure.tables.map((name) => datasets[name].length));
    return {
      actions: false,
      renderer: dots > MANY_DOTS ? "canvas" : "svg",
      tooltip: { theme: mode() },
    };
  }

  function overlays(figure) {
    return (figure.spec.params || []).some(({ name }) => name === "shown");
  }

  function zooms(figure) {
    return !figure.spec.hconcat && !figure.spec.vconcat;
  }

  async function draw(figure) {
    const before = views.get(figure.name);
    const domains = before && zooms(figure) && domainsOf(before);
    const target = document.querySelector(`[data-figure="${figure.name}"]`);
    if (before) before.finalize();
    const { view } = await vegaEmbed(target, onPage(figure, target.clientWidth), options(figure));
    views.set(figure.name, view);
    detail.listen(view, target);
    if (overlays(figure)) view.signal("shown", shown());
    if (domains) setDomains(view, domains);
    await view.runAsync();
  }

  async function drawAll() {
    for (const figure of page.figures) await draw(figure);
    await detail.redraw();
    document.documentElement.dataset.drawn = mode();
  }

  // Zooming by button: the selection bound to the scales keeps one signal for each field.
  function fields(view) {
    return view.signal("zoom_tuple_fields");
  }

  function domainsOf(view) {
    return Object.fromEntries(
      fields(view).map(({ field }) => [field, view.signal(`zoom_${field}`)]));
  }

  function setDomains(view, domains) {
    for (const { field } of fields(view)) view.signal(`zoom_${field}`, domains[field] ?? null);
  }

  function zoomed(scale, factor) {
    const logarithmic = scale.type === "log";
    const ends = scale.domain().map((end) => (logarithmic ? Math.log(end) : end));
    const middle = (ends[0] + ends[1]) / 2;
    const wider = ends.map((end) => middle + (end - middle) * factor);
    return logarithmic ? wider.map(Math.exp) : wider;
  }

  // The buttons zoom along x only, so that a curve does not leave the view; a map zooms as a whole.
  function zoom(view, factor, square) {
    const domains = fields(view).map(({ field, channel }) =>
      [field, zoomed(view.scale(channel), square || channel === "x" ? factor : 1)]);
    setDomains(view, Object.fromEntries(domains));
    view.runAsync();
  }

  async function save(figure, format) {
    const { name } = figure;
    const paper = await vegaEmbed(document.createElement("div"), onPaper(figure), { actions: false });
    if (overlays(figure)) await paper.view.signal("shown", shown()).runAsync();
    const link = document.createElement("a");
    link.href = await paper.view.toImageURL(format, format === "png" ? 3 : 1);
    link.download = `${name}.${format}`;
    link.click();
    paper.finalize();
  }

  function toggle(entry) {
    entry.setAttribute("aria-pressed", String(entry.getAttribute("aria-pressed") !== "true"));
    for (const figure of page.figures.filter(overlays))
      views.get(figure.name).signal("shown", shown()).runAsync();
  }

  function useTool(button, name) {
    const view = views.get(name);
    const figure = page.figures.find((each) => each.name === name);
    if (button.dataset.zoom) zoom(view, Number(button.dataset.zoom), figure.square);
    else if (button.dataset.save) save(figure, button.dataset.save);
    else { setDomains(view, {}); view.runAsync(); }
  }

  function label() {
    document.getElementById("theme").textContent = mode() === "dark" ? "Light" : "Dark";
  }

  function changeTheme(chosen) {
    if (chosen) document.documentElement.dataset.theme = chosen;
    label();
    drawAll();
  }

  for (const entry of entries()) entry.addEventListener("click", () => toggle(entry));
  for (const figure of document.querySelectorAll("figure")) {
    const name = figure.querySelector(".plot").dataset.figure;
    for (const button of figure.querySelectorAll(".tool"))
      button.addEventListener("click", () => useTool(button, name));
  }
  document.getElementById("theme").addEventListener("click", () =>
    changeTheme(mode() === "dark" ? "light" : "dark"));
  let resizing;
  addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(() => page.figures.filter((figure) => !zooms(figure)).forEach(draw), 200);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => changeTheme());
  changeTheme();
})();
