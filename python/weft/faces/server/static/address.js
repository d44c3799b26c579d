// What is shown is in the query of the address, so that a link shows the same.

const changed = new EventTarget();

export function read() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** Change some parts; an empty one is left out. `replace` leaves no step for the back button. */
export function change(parts, replace = false) {
  const href = hrefOf({ ...read(), ...parts });
  if (href === hrefOf(read())) return;
  history[replace ? "replaceState" : "pushState"](null, "", href);
  changed.dispatchEvent(new Event("change"));
}

/** The address with these parts only. */
export function hrefOf(parts) {
  const kept = Object.entries(parts).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(kept).toString();
  return query ? `?${query}` : location.pathname;
}

export function onChange(listener) {
  changed.addEventListener("change", listener);
}

window.addEventListener("popstate", () => changed.dispatchEvent(new Event("change")));
