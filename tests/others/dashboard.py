# SPDX-License-Identifier: BSD-3-Clause
#
# dashboard.py ADDRESS DIR PICTURES - the page of the dashboard in headless Chromium, by Debian's chromium-driver: ADDRESS is what
# `aloe web` prints (with the token), DIR the runtime directory of its node, which runs the waveform "late" of dashboard.sh. Prints
# a line for each thing that was tried, and leaves pictures of all panels in the folder PICTURES. `aloe` is taken from PATH.
#
# dashboard.py --picture ADDRESS FILE - one picture: the panel of the waveform, when it has looked on for a while.
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PANELS = ("lanes", "waveform", "signals", "times")
VIEWS = ("spectrum", "waterfall", "constellation", "time")
WAVEFORM = "late"
WAIT_S = 60


def browser_open():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def look(driver, width, height, theme):
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def until(what, true):
    """Waits; the page changes under the hand of whoever reads it."""
    end = time.monotonic() + WAIT_S
    while True:
        try:
            value = true()
        except StaleElementReferenceException:
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("not seen within %d s: %s" % (WAIT_S, what))
        time.sleep(0.1)


def aloe(*arguments):
    done = subprocess.run(["aloe", *arguments, "--dir", Page.node], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def index_now():
    return json.loads(aloe("status", WAVEFORM, "--json"))["index"]


class Page:
    node = ""

    def __init__(self, driver, address, pictures):
        self.driver, self.address, self.pictures = driver, address, pictures

    def one(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.driver.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", css)

    def live(self):
        return self.text("#connection") == "live"

    def index(self):
        words = self.driver.execute_script(
            "return [...document.querySelectorAll('#vitals div')].find((one) => one.firstChild.textContent === 'index')"
            "?.lastChild.textContent ?? ''")
        return int("".join(filter(str.isdigit, words)) or 0)

    def go(self, panel):
        self.one("#tab-" + panel).click()
        until("panel " + panel, lambda: self.one("#tab-" + panel).get_attribute("aria-selected") == "true")
        shown = [p.get_attribute("aria-labelledby") for p in self.all("[role=tabpanel]") if p.is_displayed()]
        assert shown == ["tab-" + panel], shown

    def drawn(self, css):
        """How many colours a canvas has."""
        return self.driver.execute_script(
            "const c = document.querySelector(arguments[0]); if (!c?.width || !c.height) return 0;"
            "const p = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
            "return new Set(p).size", css)

    def picture(self, name):
        self.driver.save_screenshot(os.path.join(self.pictures, name + ".png"))

    def complaints(self):
        """Errors of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


def opens(page):
    page.driver.get(page.address)
    until("the connection", page.live)
    assert page.driver.current_url.split("#")[1].startswith("lanes"), page.driver.current_url
    assert page.text("#token-button") == "Token is set"
    assert page.text("#waveform option:checked") == WAVEFORM
    before = until("an index", page.index)
    until("the next seconds", lambda: page.index() > before)


def shows_lanes(page):
    page.go("lanes")
    report = json.loads(aloe("status", WAVEFORM, "--json"))
    until("all lanes", lambda: len(page.all("#lane-table tbody tr")) == len(report["lanes"]))
    until("margins", lambda: page.drawn("#strip") > 2)
    until("the node", lambda: "up" in page.text("#node-table"))
    until("causes", lambda: "component" in page.text("#cause-table"))


def tells_a_miss(page):
    row = until("a late slot", lambda: next((r for r in page.all("#miss-table tbody tr") if "missed" in r.text), None))
    slot = row.get_attribute("data-slot")
    row.click()
    until("its story", lambda: page.text("#story-title").startswith("Slot %s: missed by" % slot))
    record = json.loads(aloe("why", WAVEFORM, slot, "--json"))
    assert record["instance"] == "work", record
    for cause in record["causes"]:
        assert cause["text"] in page.text("#story-text"), cause
    assert len(record["calls"]) >= 6, record
    assert len(page.all("#story-line .slice")) == len(record["calls"])
    titles = [t.get_attribute("textContent") for t in page.all("#story-line .slice.worst title")]
    assert len(titles) >= 1 and titles[0].startswith("work: "), titles
    link = page.one("#story-trace").get_attribute("href")
    with urllib.request.urlopen(link) as answer:
        assert "attachment" in answer.headers["Content-Disposition"], answer.headers
        assert len(answer.read()) > 1000
    return slot


def shows_the_graph(page):
    page.go("waveform")
    report = json.loads(aloe("status", WAVEFORM, "--json"))
    until("boxes", lambda: len(page.all("#graph .box")) == len(report["instances"]))
    assert len(page.all("#graph .link")) == len(report["links"])
    assert len(page.all("#graph .box.on-path")) == 6
    page.driver.execute_script("document.querySelector('#graph [data-instance=work]').dispatchEvent(new MouseEvent('click'))")
    until("figures of an instance", lambda: page.text("#instance-title") == "work (spin)" and "p99" in page.text("#instance-text"))
    page.one("#instance-close").click()
    until("curves", lambda: len(page.all("#curves canvas")) > 0)
    until("variables", lambda: "work.long_calls" in page.text("#variable-table"))


def sets_a_parameter(page):
    def row(name):
        return until(name, lambda: next(iter(page.all("[data-parameter='%s']" % name)), None))

    def write(name, value):
        field = row(name).find_element(By.TAG_NAME, "input")
        page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(value)
        row(name).find_element(By.TAG_NAME, "button").click()

    write("noise.esn0_db", "7.25")
    said = until("the index", lambda: (lambda t: t if t.startswith("since index") else None)(page.text("[data-parameter='noise.esn0_db'] .taken")))
    at = int("".join(filter(str.isdigit, said)))
    until("the waveform there", lambda: index_now() > at)
    value = json.loads(aloe("get", WAVEFORM, "noise.esn0_db", "--json"))["values"]["noise.esn0_db"]
    assert value == 7.25, value
    write("noise.esn0_db", "1e9")
    until("a refusal in words", lambda: "noise.esn0_db" in page.text("#set-said.bad"))
    assert json.loads(aloe("get", WAVEFORM, "noise.esn0_db", "--json"))["values"]["noise.esn0_db"] == 7.25


def shows_signals(page):
    page.go("signals")
    until("outputs", lambda: len(page.all("#signal-port option")) >= 5)
    for view in VIEWS:
        page.driver.execute_script("document.querySelector('input[name=view][value=%s]').click()" % view)
        ring = []
        until("frames of " + view, lambda: signal_comes(page, ring))
        # the rate that the server gives, and what came
        assert " / s" in page.text("#signal-facts"), page.text("#signal-facts")
        page.picture("signals-" + view)


def signal_comes(page, ring):
    """An output whose messages are not kept yet is given a ring, once."""
    buttons = page.all("#ring")
    if buttons and not ring:
        ring.append(True)
        buttons[0].click()
    return "bit/s" in page.text("#signal-facts") and page.drawn("#signal") > 8 and page.driver.execute_script(
        "return [...document.querySelectorAll('#signal-facts div')].some((one) => one.firstChild.textContent === 'received'"
        " && parseInt(one.lastChild.textContent) >= 1)")


def shows_times(page):
    page.go("times")
    report = json.loads(aloe("status", WAVEFORM, "--json"))
    until("rows", lambda: len(page.all("#times-table tbody tr")) == len(report["instances"]))
    until("histograms", lambda: page.drawn("#times-table tr[data-instance=work] canvas") > 1)
    assert "1 slot = 10.0 ms" in page.text("#latency") and "p99.9" in page.text("#latency"), page.text("#latency")
    page.one("#times-table tr[data-instance=work]").click()
    until("the large histogram", lambda: page.drawn("#times-canvas") > 3)
    # calls of 0.3 ms and of 11 ms
    most = page.text("#times-table tr[data-instance=work] td:nth-child(9)")
    assert most.endswith(" ms") and float(most.split()[0]) >= 11, most


def obeys_keys(page):
    page.one("#tab-times").send_keys(Keys.ARROW_RIGHT)
    until("the first panel", lambda: page.one("#tab-lanes").get_attribute("aria-selected") == "true")
    focused = page.driver.switch_to.active_element
    assert focused.get_attribute("id") == "tab-lanes"
    outline = page.driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", outline
    page.one("#strip").send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    until("a second by keys", lambda: "lane 0" in page.text("#strip-tip"))


def takes_any_hash(page):
    at = page.driver.current_url.split("#")[0]
    for wrong in ("#lanes/%zz", "#waveform/%E0%A4%A", "#nowhere/nothing"):
        page.driver.get("about:blank")
        page.driver.get(at + wrong)
        until("the connection", page.live)
        assert page.text("#waveform option:checked") == WAVEFORM


def shares_connections(page):
    """A browser has 6 connections to a server, and as many WebSockets as it likes: every tab is live."""
    first = page.driver.current_window_handle
    for _ in range(9):
        page.driver.switch_to.new_window("tab")
        page.driver.get(page.address)
    tabs = [tab for tab in page.driver.window_handles if tab != first]
    for n, tab in enumerate(tabs):
        page.driver.switch_to.window(tab)
        until("the connection of tab %d" % (n + 2), page.live)
    until("who looks", lambda: page.text("#clients").startswith("10 of 16 pages"))
    for tab in tabs:
        page.driver.switch_to.window(tab)
        page.driver.close()
    page.driver.switch_to.window(first)
    until("the first tab", page.live)


def daemon_pid(daemon):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0].endswith(daemon) and Page.node in words:
            return int(pid)
    return None


def outlives_statsman(page):
    def statsman_pid():
        return daemon_pid("aloe-statsman")

    pid = until("aloe-statsman", statsman_pid)
    page.driver.execute_script(
        "window.seen = []; new MutationObserver(() => window.seen.push(document.querySelector('#connection').textContent + ': '"
        " + document.querySelector('#lost').textContent)).observe(document.body, { subtree: true, childList: true, characterData: true });")
    os.kill(pid, signal.SIGKILL)
    until("the page says so", lambda: any("connection lost" in s for s in page.driver.execute_script("return window.seen")))
    until("the connection again", page.live)
    assert not page.one("#lost").is_displayed()
    assert statsman_pid() != pid
    before = page.index()
    until("seconds again", lambda: page.index() > before)
    kept = page.driver.execute_script("return JSON.parse(sessionStorage.getItem('aloe-margins')).seconds.length")
    page.driver.refresh()
    until("the page again", page.live)
    assert page.text("#waveform option:checked") == WAVEFORM
    assert page.text("#token-button") == "Token is set"
    until("margins of before", lambda: page.drawn("#strip") > 2 and page.driver.execute_script(
        "return JSON.parse(sessionStorage.getItem('aloe-margins')).seconds.length") >= kept)


def knows_no_record(page, slot):
    """An aloe-exec that was started again has no record of earlier slots."""
    page.go("lanes")
    until("the late slot", lambda: page.all("#miss-table tr[data-slot='%s']" % slot))
    os.kill(until("aloe-exec", lambda: daemon_pid("aloe-exec")), signal.SIGKILL)

    def answer():
        done = subprocess.run(["aloe", "why", WAVEFORM, slot, "--json", "--dir", Page.node], capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    record = until("an answer", answer)
    assert record["what"] == "no record" and record["why"], record
    # the page drops the row as soon as it hears of the new aloe-exec; who clicks just before that asks for the slot all the same
    page.driver.execute_script("""
        const row = document.querySelector(`#miss-table tr[data-slot='${arguments[0]}']`) ?? document.createElement("tr");
        const gone = !row.isConnected;

        row.dataset.slot = arguments[0];
        if (gone)
            document.querySelector("#miss-table").append(row);
        row.click();
        if (gone)
            row.remove();""", slot)
    until("that there is no record", lambda: page.text("#story-title") == "Slot %s: no record" % slot)
    assert page.text("#story-text") == "There is no record of this slot: %s." % record["why"]
    assert not page.all("#story-line *") and not page.one("#story-calls").is_displayed()
    page.picture("lanes-no-record")


def says_what_is_left_out(page):
    """So many instances that the event of a second is too long."""
    file = os.path.join(os.path.dirname(Page.node), "large.conf")
    with open(file, "w") as out:
        out.write('name = "large";\nslot_ns = 1000000;\ninstances: {\n')
        for n in range(40):
            out.write('s%d: { component = "random_source"; seed = %d; length = 64; };\nc%d: { component = "bit_compare"; };\n' % (n, n + 1, n))
        out.write("};\nlinks = ( %s );\n" % ", ".join('"s%d -> c%d.received", "s%d -> c%d.sent"' % (n, n, n, n) for n in range(40)))
    aloe("load", file, "--clock", "virtual")
    aloe("start", "large")
    option = until("it in the list", lambda: next((o for o in page.all("#waveform option") if o.text == "large"), None))
    assert not page.one("#left-out").is_displayed()
    option.click()
    until("what was left out", lambda: page.one("#left-out").is_displayed() and "values, instances" in page.text("#left-out"))
    page.go("lanes")
    until("its lanes", lambda: page.all("#lane-table tbody tr"))
    page.picture("lanes-left-out")
    for name in (WAVEFORM, "large"):
        page.driver.execute_script("const s = document.querySelector('#waveform'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", name)
        page.driver.refresh()
        until("the waveform of the address", lambda: page.live() and page.text("#waveform option:checked") == name)
    aloe("stop", "large")
    aloe("unload", "large")
    until("the other waveform", lambda: page.text("#waveform option:checked") == WAVEFORM)
    until("that nothing is left out", lambda: not page.one("#left-out").is_displayed())


def follows_the_node(page):
    """Nothing is loaded; then a waveform is again, on the virtual clock, and ends."""
    page.go("waveform")
    until("boxes", lambda: page.all("#graph .box"))
    aloe("stop", WAVEFORM)
    aloe("unload", WAVEFORM)
    until("no waveform", lambda: page.live() and "loaded" in page.text("#nothing") and not page.all("#waveform option"))
    assert not page.all("#graph *")
    look(page.driver, 900, 900, "light")
    time.sleep(0.5)
    assert not page.all("#graph *")
    page.driver.execute_script(
        "window.sockets = 0; window.WebSocket = class extends WebSocket { constructor(...all) { super(...all); window.sockets++; } }")
    time.sleep(4)
    assert page.live()
    assert page.driver.execute_script("return window.sockets") <= 1
    aloe("load", os.path.join(os.path.dirname(Page.node), WAVEFORM + ".conf"), "--clock", "virtual", "--slots", "40000")
    aloe("start", WAVEFORM)
    until("it is there again", lambda: page.text("#waveform option:checked") == WAVEFORM and page.index() > 0)
    assert not page.one("#nothing").is_displayed()
    until("that its clock waits for nothing", lambda: page.text("#strip-now") == "no deadline")
    until("its graph", lambda: len(page.all("#graph .box")) == 6)
    page.go("signals")
    ring = []
    until("its signal", lambda: signal_comes(page, ring))
    page.driver.execute_script("window.sockets = 0")
    until("that it has ended", lambda: "has ended" in page.text("#signal-said"))
    time.sleep(3)
    assert "has ended" in page.text("#signal-said")
    # its index may have been read before the last message
    assert page.driver.execute_script("return window.sockets") <= 1
    page.picture("signals-ended")
    look(page.driver, 1280, 900, "light")
    loads_again(page)


def loads_again(page):
    """Under the same name, as fast as a command can: the page follows, whether it has seen a second without a waveform or not."""
    aloe("unload", WAVEFORM)
    aloe("load", os.path.join(os.path.dirname(Page.node), WAVEFORM + ".conf"), "--clock", "virtual")
    aloe("start", WAVEFORM)
    ring = []
    until("a signal of the new load", lambda: signal_comes(page, ring) and "has ended" not in page.text("#signal-said"))
    until("its seconds", lambda: page.live() and page.index() > 0)


def looks_well(page, slot):
    """Pictures of all panels, light and dark, wide and narrow; a narrow page does not scroll sideways."""
    for theme in ("light", "dark"):
        for width in (1280, 400):
            look(page.driver, width, 900, theme)
            for panel in PANELS:
                page.go(panel)
                if panel == "lanes":
                    row = until("the late slot", lambda: next(iter(page.all("#miss-table tr[data-slot='%s']" % slot)), None))
                    page.driver.execute_script("arguments[0].click()", row)
                    until("its slices", lambda: page.all("#story-line .slice"))
                elif panel == "waveform":
                    until("boxes", lambda: page.all("#graph .box"))
                elif panel == "signals":
                    until("a signal", lambda: page.drawn("#signal") > 8)
                else:
                    until("histograms", lambda: page.drawn("#times-table tbody canvas") > 1)
                inner, whole = page.driver.execute_script("return [innerWidth, document.documentElement.scrollWidth]")
                assert inner == width and whole <= width, (theme, width, panel, inner, whole)
                time.sleep(1.5)
                page.picture("%s-%s-%d" % (panel, theme, width))
    page_light, page_dark = [grounds(page, theme) for theme in ("light", "dark")]
    assert page_light > 0.8 and page_dark < 0.2, (page_light, page_dark)


def grounds(page, theme):
    """How light the page is, from 0 to 1."""
    look(page.driver, 1280, 900, theme)
    colour = page.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    return sum(int(v) for v in colour[colour.index("(") + 1:-1].split(",")[:3]) / 3 / 255


def try_all(page):
    def said(what, result=None):
        print("ok   " + what, flush=True)
        return result

    look(page.driver, 1280, 900, "light")
    said("the page opens with the token of its address, which it hides", opens(page))
    said("lanes, margins, causes, nodes", shows_lanes(page))
    slot = tells_a_miss(page)
    said("a late slot: story, slices, trace")
    said("graph, figures of an instance, curves", shows_the_graph(page))
    said("a parameter is set, and a wrong value refused in words", sets_a_parameter(page))
    # a refusal is an answer of status 400, which Chromium logs
    wrong = [c for c in page.complaints() if "status of 400" not in c]
    assert not wrong, wrong
    said("spectrum, waterfall, constellation, time", shows_signals(page))
    said("execution times and latency", shows_times(page))
    said("keys, and where the focus is", obeys_keys(page))
    wrong = page.complaints()
    assert not wrong, wrong
    said("no errors in the console")
    said("any address", takes_any_hash(page))
    said("more tabs than a browser has connections", shares_connections(page))
    said("aloe-statsman is killed: it is said, and goes on by itself; reload", outlives_statsman(page))
    page.complaints() # the browser's own, of the time without a server
    said("light and dark, 1280 and 400 pixels wide", looks_well(page, slot))
    wrong = page.complaints()
    assert not wrong, wrong
    said("no errors in the console")
    look(page.driver, 1280, 900, "light")
    said("a slot without a record", knows_no_record(page, slot))
    said("what the events leave out", says_what_is_left_out(page))
    said("a waveform is unloaded, loaded again, ends, and is replaced", follows_the_node(page))


def main(arguments):
    driver = browser_open()
    try:
        if arguments[0] == "--picture":
            page = Page(driver, arguments[1], ".")
            look(driver, 1280, 1000, "dark")
            driver.get(page.address)
            until("the connection", page.live)
            page.go("waveform")
            until("boxes", lambda: page.all("#graph .box"))
            time.sleep(100)
            driver.save_screenshot(arguments[2])
            return
        address, Page.node, pictures = arguments
        os.makedirs(pictures, exist_ok=True)
        page = Page(driver, address, pictures)
        try:
            try_all(page)
        except BaseException:
            page.picture("failed")
            print("the page said: %s\n%s" % (page.text("#nothing"), "\n".join(page.complaints())), flush=True)
            raise
    finally:
        driver.quit()


main(sys.argv[1:])
