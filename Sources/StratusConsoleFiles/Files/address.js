// The address of a page holds the whole state of its screen.

/** The parameters that stay in the address when the person opens another screen. */
const kept = ["container", "environment", "as"];
const listeners = new Set();

/** Returns the path and the parameters of the present address. */
export function currentPlace() {
  const search = new URLSearchParams(location.search);
  return { path: location.pathname, params: Object.fromEntries(search) };
}

/** Returns the address of a screen. Empty parameters are left out. */
export function addressOf(path, params = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** Returns the address of a screen in the container that is shown at present. */
export function screenAddress(path, params = {}) {
  const present = currentPlace().params;
  const all = {};
  for (const name of kept) all[name] = present[name];
  return addressOf(path, { ...all, ...params });
}

/** Opens a screen. The browser's *Back* returns to the present one. */
export function go(address) {
  if (address === location.pathname + location.search) return notify();
  history.pushState(null, "", address);
  notify();
}

/** Changes parameters of the present screen. */
export function change(params) {
  const place = currentPlace();
  go(addressOf(place.path, { ...place.params, ...params }));
}

/** Changes parameters of the present screen, without an entry in the browser's history. */
export function adjust(params) {
  const place = currentPlace();
  history.replaceState(null, "", addressOf(place.path, { ...place.params, ...params }));
  notify();
}

/** Changes parameters in the address only. The screen already shows them. */
export function remember(params) {
  const place = currentPlace();
  history.replaceState(null, "", addressOf(place.path, { ...place.params, ...params }));
}

/** Calls a function after each change of the address. */
export function onPlaceChange(listener) {
  listeners.add(listener);
}

function notify() {
  for (const listener of listeners) listener(currentPlace());
}

/** Makes links of the console change the address without loading the page again. */
export function followLinks(root) {
  window.addEventListener("popstate", notify);
  root.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.target || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || url.protocol === "blob:") return;
    if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
    event.preventDefault();
    go(url.pathname + url.search);
  });
}
