// The page: the list of runs, or the run that the address names.

import { onChange, read } from "./address.js";
import { RunList } from "./list.js";
import { RunPage } from "./run.js";

const place = document.getElementById("page");
let page;

function show() {
  const asked = read();
  const name = asked.run ?? "";
  if (!page || page.name !== name) {
    page?.close();
    page = name ? new RunPage(name) : new RunList();
    place.replaceChildren(...page.parts);
    scrollTo(0, 0);
  }
  page.show(asked);
}

onChange(show);
show();
