"""Starts Debian's Chromium, and gathers what a person would notice on a page."""
import json
import os

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

# The ways in which each screen is shown: media features, width and scale.
WAYS = {
    "light": {"features": {"prefers-color-scheme": "light"}, "width": 1280, "scale": 1},
    "dark": {"features": {"prefers-color-scheme": "dark"}, "width": 1280, "scale": 1},
    "forced": {"features": {"forced-colors": "active", "prefers-color-scheme": "dark"},
               "width": 1280, "scale": 1},
    "narrow": {"features": {"prefers-color-scheme": "light"}, "width": 320, "scale": 1},
    # NB: a zoom of 200 % halves the number of CSS pixels, which the width states.
    "zoomed": {"features": {"prefers-color-scheme": "light"}, "width": 640, "scale": 2},
}


def start(notes_answers=False):
    """Starts the browser. `notes_answers` keeps all answers in the log `performance`."""
    os.nice(max(0, 15 - os.nice(0)))
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                     "--disable-extensions", "--window-size=1280,900",
                     "--disable-background-networking", "--disable-dev-shm-usage"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {
        "browser": "ALL", **({"performance": "ALL"} if notes_answers else {})})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.set_script_timeout(60)
    return browser


def show_in(browser, way):
    """Changes how pages are shown."""
    settings = WAYS[way]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": name, "value": value} for name, value in settings["features"].items()]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": settings["width"], "height": 900, "deviceScaleFactor": settings["scale"],
        "mobile": False})


def open_page(browser, url):
    browser.get(url)
    wait_until_quiet(browser)


def wait_until_quiet(browser, seconds=20):
    """Waits until a screen is drawn and nothing is being fetched for it."""
    WebDriverWait(browser, seconds, poll_frequency=0.05).until(lambda b: b.execute_script(
        "return document.querySelector('main h1') !== null"
        " && !document.querySelector('main').hasAttribute('aria-busy')"))


def messages(browser):
    """Returns the errors and warnings in the browser's console since the last call.

    Chromium also notes each answer with a status of 400 or more. The result lacks the notes about
    4xx answers, because a screen may expect them.
    """
    return [entry["message"] for entry in browser.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
            and "Failed to load resource: the server responded with a status of 4"
            not in entry["message"]]


def axe_findings(browser, source, without=()):
    """Returns the findings of axe that are at least moderate."""
    # NB: the page's policy forbids evaluation, so the source is run through the protocol.
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": source})
    options = {"resultTypes": ["violations"],
               "rules": {name: {"enabled": False} for name in without}}
    answer = browser.execute_cdp_cmd("Runtime.evaluate", {
        "expression": f"axe.run(document, {json.dumps(options)}).then((result) => JSON.stringify("
                      "result.violations.map(({id, impact, nodes}) => ({id, impact, "
                      "nodes: nodes.slice(0, 4).map((node) => node.html.slice(0, 160) + ' | ' "
                      "+ (node.any[0]?.message ?? node.all[0]?.message ?? ''))}))))",
        "awaitPromise": True, "returnByValue": True})
    if "exceptionDetails" in answer:
        raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
    return [f"axe {item['id']} ({item['impact']}): {node}"
            for item in json.loads(answer["result"]["value"]) for node in item["nodes"]
            if item["impact"] in ("serious", "critical", "moderate")]


OWN_CHECKS = r"""
const found = [];
const shown = (element) => element.checkVisibility({ visibilityProperty: true })
  && element.getClientRects().length > 0;
const describe = (element) => element.outerHTML.slice(0, 140);
if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1) {
  const wide = [...document.querySelectorAll("body *")].filter((element) => shown(element)
    && element.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && !element.closest(".scroll, pre, .code"));
  found.push(`the page scrolls sideways: ${wide.slice(0, 3).map(describe).join(" / ")}`);
}
const controls = "button, a[href], input, select, textarea, summary";
for (const element of document.querySelectorAll(controls)) {
  if (!shown(element) || element.closest(".hidden, .skip")) continue;
  const box = element.getBoundingClientRect();
  const isInText = element.matches("p a, dd a, li p a");
  if (!isInText && (box.width < 24 || box.height < 24) && !element.matches(".skip")) {
    found.push(`smaller than 24 px (${Math.round(box.width)} x ${Math.round(box.height)}): `
      + describe(element));
  }
}
for (const element of document.querySelectorAll("[onclick], [style], script:not([src])")) {
  found.push(`inline code or style: ${describe(element)}`);
}
if (document.querySelectorAll("h1").length !== 1) found.push("the page has not exactly one h1");
if (!document.title.includes("Stratus")) found.push("the title does not name the console");
if (document.querySelector("img[src=x]")) found.push("data became an element");
for (const grid of document.querySelectorAll("[role=grid]")) {
  const stops = grid.querySelectorAll("[tabindex='0']").length;
  if (stops !== 1) found.push(`${grid.caption.textContent}: ${stops} tab stops instead of 1`);
}
return found;
"""


def own_findings(browser):
    """Returns the findings of our own checks, which axe does not have."""
    return browser.execute_script(OWN_CHECKS)
