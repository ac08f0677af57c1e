"""What a person does in a browser: reads, types and clicks."""
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

import browser as chromium


class Found:
    """An element of the page. If the page replaces the element, the next use finds the new one."""

    def __init__(self, find):
        self.again = find
        self.element = find()

    def __getattr__(self, name):
        value = self.use(lambda: getattr(self.element, name))
        if not callable(value):
            return value
        return lambda *values: self.use(lambda: getattr(self.element, name)(*values))

    def use(self, action):
        for _ in range(10):
            try:
                return action()
            except StaleElementReferenceException:
                self.element = self.again()
        return action()


class Person:
    """A person in front of a browser."""

    def __init__(self, page):
        self.page = page

    def open(self, url):
        # NB: if the URL differed from the current one only in its fragment, the browser would keep
        # the page, and with it a dialog that the last flow left open.
        self.page.get("about:blank")
        chromium.open_page(self.page, url)

    def wait(self, condition, what):
        # NB: the page may replace an element after the search has found it.
        ignored = [StaleElementReferenceException]
        WebDriverWait(self.page, 15, poll_frequency=0.05, ignored_exceptions=ignored).until(
            lambda _: condition(), what)

    def find(self, selector):
        def find():
            found = []

            def look():
                found[:] = self.page.find_elements(By.CSS_SELECTOR, selector)
                return found
            self.wait(look, selector)
            return found[0]
        return Found(find)

    def button(self, text, inside=""):
        """Returns the first visible button that has this text and is below `inside`."""
        return self.named(f"{inside} button", text)

    def named(self, selector, text):
        script = (
            "return [...document.querySelectorAll(arguments[0])].find((element) =>"
            " element.checkVisibility() && element.textContent === arguments[1])")

        def find():
            found = []

            def look():
                found[:] = [self.page.execute_script(script, selector, text)]
                return found[0] is not None
            self.wait(look, f"{selector} with the text {text}")
            return found[0]
        return Found(find)

    def unfold(self, text):
        """Opens the part of the page below a summary."""
        self.named("summary", text).click()

    def press(self, *keys):
        self.page.switch_to.active_element.send_keys(*keys)

    def text(self, selector="main"):
        found = []
        self.wait(lambda: found.append(self.find(selector).text) or True, selector)
        return found[-1]

    def see(self, text, selector="body"):
        script = "return document.querySelector(arguments[0])?.innerText ?? ''"
        self.wait(lambda: text in self.page.execute_script(script, selector), f"the text {text}")

    def see_no(self, text, selector="body"):
        script = "return document.querySelector(arguments[0])?.innerText ?? ''"
        self.wait(lambda: text not in self.page.execute_script(script, selector),
                  f"the page without {text}")

    def focused(self):
        return self.page.execute_script(
            "const a = document.activeElement;"
            "return (a.getAttribute('aria-label') ?? a.textContent).trim().slice(0, 60)")

    def settle(self):
        chromium.wait_until_quiet(self.page)

    def input(self, label):
        script = (
            "const label = [...document.querySelectorAll('label')].findLast((label) =>"
            " label.textContent === arguments[0] && label.checkVisibility());"
            "return label && document.getElementById(label.htmlFor)")
        def find():
            found = []

            def look():
                found[:] = [self.page.execute_script(script, label)]
                return found[0] is not None
            self.wait(look, f"the input {label}")
            return found[0]
        return Found(find)

    def fill(self, label, text):
        box = self.input(label)
        if box.tag_name == "select":
            Select(box).select_by_value(text)
        else:
            box.clear()
            box.send_keys(text)
        return box
