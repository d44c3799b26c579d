// Draws the figures, and joins them to the legend, the tools and the theme of the page.
"use strict";
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const datasets = Object.fromEntries(
    Object.entries(page.tables).map(([name, columns]) => [name, rowsOf(columns)]));
  const views = new Map();
  const MANY_DOTS = 4000;
  const PAPER_WIDTH = 680;

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

  function withoutLegends(layer) {
    const encoding = Object.entries(layer.encoding).map(([channel, definition]) =>
      [channel, definition.scale && !/^[xy]/.test(channel) ? { ...definition, legend: null } : definition]);
    return { ...layer, encoding: Object.fromEntries(encoding) };
  }

  // The page has its own heading and legend, so the figure's are left out.
  function onPage(spec) {
    const config = page.configs[mode()];
    return {
      ...spec,
      title: undefined,
      layer: spec.layer.map(withoutLegends),
      datasets,
      width: "container",
      autosize: { type: "fit-x", contains: "padding" },
      config: { ...config, background: null },
    };
  }

  function onPaper(spec) {
    return { ...spec, datasets, width: PAPER_WIDTH, config: page.configs.light };
  }

  function options() {
    const dots = Math.max(0, ...Object.values(datasets).map((rows) => rows.length));
    return {
      actions: false,
      renderer: dots > MANY_DOTS ? "canvas" : "svg",
      tooltip: { theme: mode() },
    };
  }

  async function draw(figure) {
    const before = views.get(figure.name);
    const domains = before && domainsOf(before);
    const target = document.querySelector(`[data-figure="${figure.name}"]`);
    if (before) before.finalize();
    const { view } = await vegaEmbed(target, onPage(figure.spec), options());
    views.set(figure.name, view);
    view.signal("shown", shown());
    if (domains) setDomains(view, domains);
    await view.runAsync();
  }

  async function drawAll() {
    for (const figure of page.figures) await draw(figure);
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

  // The buttons zoom along x only, so that the curve does not leave the view.
  function zoom(view, factor) {
    const domains = fields(view).map(({ field, channel }) =>
      [field, zoomed(view.scale(channel), channel === "x" ? factor : 1)]);
    setDomains(view, Object.fromEntries(domains));
    view.runAsync();
  }

  async function save(name, format) {
    const figure = page.figures.find((each) => each.name === name);
    const paper = await vegaEmbed(document.createElement("div"), onPaper(figure.spec), { actions: false });
    await paper.view.signal("shown", shown()).runAsync();
    const link = document.createElement("a");
    link.href = await paper.view.toImageURL(format, format === "png" ? 3 : 1);
    link.download = `${name}.${format}`;
    link.click();
    paper.finalize();
  }

  function toggle(entry) {
    entry.setAttribute("aria-pressed", String(entry.getAttribute("aria-pressed") !== "true"));
    for (const view of views.values()) view.signal("shown", shown()).runAsync();
  }

  function useTool(button, name) {
    const view = views.get(name);
    if (button.dataset.zoom) zoom(view, Number(button.dataset.zoom));
    else if (button.dataset.save) save(name, button.dataset.save);
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
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => changeTheme());
  changeTheme();
})();
