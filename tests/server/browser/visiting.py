"""How a person visits the page: opens it, gives papers, marks, and looks at what it says."""

import re

from playwright.sync_api import expect

from likewise.expansion.sessions.session import Session

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 740}
PATIENCE = 30_000
"""For how many milliseconds a job may keep one waiting, on a busy machine."""

expect.set_options(timeout=15_000)


class Visits:
    """Pages that are looked after: what goes wrong in them unseen fails the test."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address
        self.contexts = []
        self.mistakes = []
        self.requests = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for context in self.contexts:
            context.close()
        if kind is None:
            assert self.mistakes == []
            assert self.elsewhere() == []

    def context(self, *, learns=False, **options):
        """Open a browser without a past; one that learns by itself changes lists under a test."""
        options = {"viewport": WIDE, "reduced_motion": "reduce", **options}
        context = self.browser.new_context(base_url=self.address, **options)
        context.set_default_timeout(15_000)
        context.on("page", self._watch)
        if not learns:
            # A page that is not there yet has no place to keep anything.
            keep = 'localStorage.setItem("likewise.learns", "off")'
            context.add_init_script(f'if (location.protocol === "http:") {keep}')
        self.contexts.append(context)
        return context

    def page(self, **options):
        """Open a page in a browser without a past."""
        return self.context(**options).new_page()

    def narrow(self, **options):
        """Open a page on a telephone."""
        return self.page(viewport=NARROW, has_touch=True, is_mobile=True, **options)

    def elsewhere(self):
        """Return the addresses of other servers that were asked for something."""
        ours = (f"{self.address}/", "data:", f"blob:{self.address}/")
        return [address for address in self.requests if not address.startswith(ours)]

    def _watch(self, page):
        page.on("pageerror", lambda error: self.mistakes.append(str(error)))
        page.on("console", self._hear)
        page.on("request", lambda request: self.requests.append(request.url))

    def _hear(self, message):
        # A server that is away is said by the page, where a person sees it.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.mistakes.append(message.text)


def open_session(page, session):
    """Open a session, and wait for its list and what is said of it."""
    page.goto(f"/sessions/{session}")
    see_list(page)


def see_list(page):
    """Wait for the list, and for what is said of it."""
    expect(page.locator(".entry.current")).to_have_count(1, timeout=PATIENCE)
    expect(page.locator("#facts > div")).to_have_count(4, timeout=PATIENCE)


def entry(page, at):
    """Return the entry at a place of the list, from 0."""
    return page.locator("#list > .entry").nth(at)


def current(page):
    """Return the id of the current document."""
    return page.locator(".entry.current").get_attribute("data-id")


def mark(page, at, label):
    """Press a button of the entry at a place, and return its document's id."""
    document = entry(page, at).get_attribute("data-id")
    entry(page, at).locator(f'button[data-label="{label}"]').click()
    return document


def mark_best(server, session, *, relevant, irrelevant):
    """Mark the best documents of a session, as if it had been done before."""
    with Session.open(server.file(session)) as opened:
        best = [place.id for place in opened.expansion().ranking if not place.seed]
        opened.mark(dict.fromkeys(best[:relevant], "relevant"))
        opened.mark(dict.fromkeys(best[relevant : relevant + irrelevant], "irrelevant"))


def see_listed(page):
    """Wait until the list is what was asked for last; the one before it is shown until then."""
    expect(page.locator("#list")).not_to_have_attribute("aria-busy", "true")


def see_recall(page):
    """Wait for what the server says of the first marks, before which no recall is told."""
    expect(page.locator('[data-fact="recall"] dd')).to_contain_text(".")


def hold(page, address, *, most=1):
    """Hold back so many requests to an address; return them, which `first_of` waits for."""
    held = []
    # A route that ends after some times would let go of what it holds.
    page.route(address, lambda one: held.append(one) if len(held) < most else one.continue_())
    return held


def first_of(page, held):
    """Return what was held back first: a request may come later than what the page shows of it."""
    for _ in range(PATIENCE // 20):
        if held:
            return held[0]
        page.wait_for_timeout(20)
    raise AssertionError("nothing was held back")


def see_saved(page, document, label):
    """Wait until the page says that a mark is saved; "" for none."""
    shown = page.locator(f'.entry[data-id="{document}"]')
    expect(shown).to_have_attribute("data-mark", label)
    expect(shown).not_to_have_class(re.compile(r"\bsaving\b"))


def marks_in(server, session):
    """Return the labels that stand in a session's file, by document."""
    with Session.open(server.file(session), read_only=True) as opened:
        return {document: mark.label for document, mark in opened.current().items()}


def expansions_in(server, session):
    """Return how many expansions a session's file holds."""
    with Session.open(server.file(session), read_only=True) as opened:
        return len(opened.expansions())


def dropped(page, path):
    """Drop a file on the page, as from a window of files."""
    transfer = page.evaluate_handle(
        """([text, name]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name));
            return transfer;
        }""",
        [path.read_text(), path.name],
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("#drop", event, {"dataTransfer": transfer})


def pasted(page, text):
    """Paste lines, and wait until they were looked up."""
    page.fill("#paste", text)
    page.click("#paste-add")
    expect(page.locator("#paste")).to_have_value("")


def downloaded(page, link="#export-link"):
    """Click a link, and return the name and the text of the file that it gives."""
    with page.expect_download() as coming:
        page.click(link)
    return coming.value.suggested_filename, coming.value.path().read_text()


def is_sideways(page):
    """Tell whether anything scrolls sideways."""
    return page.evaluate("document.scrollingElement.scrollWidth > innerWidth")


def shot(page, path):
    """Keep how a page looks."""
    page.screenshot(path=path, animations="disabled")


def focused(page):
    """Return what has the focus, as an id, a class or a tag."""
    return page.evaluate(
        """() => {
            const { id, className, tagName } = document.activeElement;
            return id || className || tagName;
        }"""
    )
