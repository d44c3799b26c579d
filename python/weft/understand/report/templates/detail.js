// A click on a point of a curve opens its batches, its interval over launches, and its evidence below the figure.
"use strict";
function pointDetails(page, config, mode) {
  const LOGARITHMIC_FROM = 5;
  const NEAR_PX = 4;
  const points = new Map(page.details.map((one) => [keyOf(one), one]));
  let open;

  function keyOf({ series, size }) {
    return JSON.stringify([series, size]);
  }

  // A drag ends with a click, too.
  function listen(view, target) {
    let pressed = [0, 0];
    view.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
    view.addEventListener("click", (event, item) => {
      const row = item && item.datum && (item.datum.datum || item.datum);
      const point = row && points.get(keyOf(row));
      const moved = Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]);
      if (point && moved <= NEAR_PX) show(point, target.parentElement.querySelector(".detail"));
    });
  }

  function element(name, text, children = []) {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    made.append(...children);
    return made;
  }

  function rowOf(cells, first) {
    return element("tr", "", cells.map((cell, i) => element(i && !first ? "td" : "th", cell)));
  }

  function tableOf([headers, ...rows]) {
    const body = element("tbody", "", rows.map((row) => rowOf(row, false)));
    const table = element("table", "", [element("thead", "", [rowOf(headers, true)]), body]);
    const scroll = element("div", "", [table]);
    scroll.className = "scroll";
    return scroll;
  }

  function countText({ us, of }) {
    const rule = us.length < of
      ? `${us.length} of ${of} batches are drawn: evenly in their order, with the fastest and the slowest.`
      : `All ${of} batches are drawn.`;
    return `Dots: batches by launch. Line and band: the median over launches and its interval at each look. ${rule}`;
  }

  function closeButton(place) {
    const button = element("button", "Close");
    button.type = "button";
    button.className = "tool";
    button.addEventListener("click", () => {
      place.hidden = true;
      open = undefined;
    });
    return button;
  }

  async function show(point, place) {
    if (open && open.place !== place) open.place.hidden = true;
    open = { point, place };
    const bar = element("div", "", [element("h4", point.title), closeButton(place)]);
    bar.className = "bar";
    const plot = element("div");
    plot.className = "plot";
    const said = element("ul", "", point.said.map((text) => element("li", text)));
    const moved = point.moved.length ? [tableOf(point.moved)] : [];
    const evidence = point.evidence.length ? tableOf(point.evidence) : element("p", "No evidence was recorded beside it.");
    place.replaceChildren(bar, element("p", point.text), plot, element("p", countText(point)), said, ...moved, evidence);
    place.hidden = false;
    await vegaEmbed(plot, specOf(point), { actions: false, renderer: "svg", tooltip: { theme: mode() } });
  }

  function specOf(point) {
    const batches = point.at.map((at, i) =>
      ({ at, us: point.us[i], launch: Math.round(at), text: `${point.us[i]} µs` }));
    const looks = point.looks.map(([at, low, us, high]) => ({ at, low, us, high }));
    const spread = Math.max(...point.us) / Math.min(...point.us);
    const type = spread > LOGARITHMIC_FROM ? "log" : "linear";
    const datasets = { batches, looks, modes: point.modes.map((us) => ({ us })) };
    const drawn = page.detail_spec.layer.filter((one) => datasets[one.data.name].length);
    const layer = drawn.map((one) =>
      ({ ...one, encoding: { ...one.encoding, y: { ...one.encoding.y, scale: { type, zero: false } } } }));
    return {
      ...page.detail_spec,
      layer,
      width: "container",
      autosize: { type: "fit-x", contains: "padding" },
      datasets,
      config: config(),
    };
  }

  return { listen, redraw: () => open && show(open.point, open.place) };
}
