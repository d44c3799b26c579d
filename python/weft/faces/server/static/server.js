// The addresses of the server, all relative to this page's.

/** A message of the server, or why there is none. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const encoded = (name) => name.split("/").map(encodeURIComponent).join("/");

export const runAddress = (name, rest = "") => `api/runs/${encoded(name)}${rest && `/${rest}`}`;

export async function fetchJson(address) {
  let response;
  try {
    response = await fetch(address);
  } catch {
    throw new Refused("the server does not answer: it has ended, or this machine cannot reach it", 0);
  }
  const document = await response.json().catch(() => null);
  if (response.ok && document !== null) return document;
  const error = document?.error;
  const said = [error?.message ?? error, error?.hint].filter(Boolean).join("; ");
  throw new Refused(said || `the server answered with status ${response.status}`, response.status);
}

/** Seconds until a stream that the browser gave up is opened again. */
const RETRY_S = 2;

/**
 * The events of a run, until `close` is called. `handlers` by name of event get its data; `connected` and `lost` are
 * called when the stream begins and breaks. After `gone` there is no more to come.
 */
export function follow(name, handlers) {
  let source;
  let timer;
  let isOver = false;
  const open = () => {
    source = new EventSource(runAddress(name, "events"));
    source.addEventListener("open", handlers.connected);
    source.addEventListener("error", broken);
    for (const event of ["points", "matrix", "xray", "status"]) {
      source.addEventListener(event, ({ data }) => handlers[event](JSON.parse(data)));
    }
    source.addEventListener("gone", () => {
      close();
      handlers.gone();
    });
  };
  const broken = () => {
    if (isOver) return;
    handlers.lost();
    // The browser opens it again by itself unless it got an answer that is no stream.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(timer);
    timer = setTimeout(open, RETRY_S * 1000);
  };
  const close = () => {
    isOver = true;
    clearTimeout(timer);
    source.close();
  };
  open();
  return close;
}
