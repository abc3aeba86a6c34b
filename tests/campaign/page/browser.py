"""A headless Chromium spoken to over WebDriver's own HTTP, with nothing but the standard library."""

from __future__ import annotations

import base64
import io
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

#: Seconds before another page or tab is turned to: what a page has stored reaches the browser's other
#: processes some milliseconds later, on a busy machine more, and no hand is so quick.
A_HAND = 0.15

#: The key under which WebDriver names an element, and its codes of keys that are no characters.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Shift": "\ue008",
    "Left": "\ue012",
    "Up": "\ue013",
    "Right": "\ue014",
    "Down": "\ue015",
    "Home": "\ue011",
    "End": "\ue010",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "Ctrl": "\ue009",
    "Alt": "\ue00a",
    "Space": "\ue00d",
    "Backspace": "\ue003",
    "Delete": "\ue017",
}


def missing() -> str | None:
    """Why no browser can be asked, or None."""
    absent = [
        name
        for name, found in (("chromium", chromium()), ("chromedriver", shutil.which("chromedriver")))
        if not found
    ]
    return f"{' and '.join(absent)} not installed (Debian: chromium, chromium-driver)" if absent else None


def chromium() -> str | None:
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Browser:
    """One browser with one page; a context manager."""

    def __init__(self, downloads: Path) -> None:
        self.downloads = downloads

    def __enter__(self) -> Browser:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            self._wait()
            options = {
                "binary": chromium(),
                "args": [
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--window-size=1000,1200",
                ],
                "prefs": {
                    "download.default_directory": str(self.downloads),
                    "download.prompt_for_download": False,
                },
            }
            session = self._ask(
                "POST",
                "/session",
                {
                    "capabilities": {
                        "alwaysMatch": {
                            "browserName": "chrome",
                            "goog:chromeOptions": options,
                            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                        }
                    }
                },
            )
        except BaseException:
            self.driver.kill()
            self.driver.wait()
            raise
        self.session = f"/session/{session['sessionId']}"
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self._ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=20)

    def _wait(self) -> None:
        deadline = time.monotonic() + 20
        while True:
            try:
                if self._ask("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    def _ask(self, verb: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            self.url + path,
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=verb,
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{verb} {path}: {json.load(error)['value']['message']}") from None

    def open(self, page: Path, query: str = "") -> None:
        time.sleep(A_HAND)
        self._ask("POST", f"{self.session}/url", {"url": page.as_uri() + query})

    def devtools(self, command: str, **parameters: Any) -> Any:
        """A command of the browser's own protocol, for what WebDriver has no word for."""
        return self._ask("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def look_like(self, width: int = 0, height: int = 800, **media: str) -> None:
        """A screen of this width in CSS pixels (0: the window's own), and media features by their names."""
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        self.devtools("Emulation.setEmulatedMedia", features=features)
        if not width:
            return self.devtools("Emulation.clearDeviceMetricsOverride")
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def before_pages(self, script: str) -> str:
        """Run a script in every page before its own, until :meth:`no_longer`."""
        return self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]

    def no_longer(self, name: str) -> None:
        self.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=name)

    def tabs(self) -> list[str]:
        return self._ask("GET", f"{self.session}/window/handles")

    def to_tab(self, handle: str) -> None:
        time.sleep(A_HAND)
        self._ask("POST", f"{self.session}/window", {"handle": handle})

    def new_tab(self) -> str:
        handle = self._ask("POST", f"{self.session}/window/new", {"type": "tab"})["handle"]
        self.to_tab(handle)
        return handle

    def close_tab(self, back_to: str) -> None:
        self._ask("DELETE", f"{self.session}/window")
        self.to_tab(back_to)

    def run(self, script: str, *arguments: Any) -> Any:
        return self._ask("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, css: str) -> dict[str, str]:
        return self._ask("POST", f"{self.session}/element", {"using": "css selector", "value": css})

    def press_touch(self, css: str, across: float, down: float = 0.0) -> None:
        """A finger on an element at a fraction of its width, that moves by this many pixels before it leaves."""
        element = self.find(css)
        box = self.run(
            "arguments[0].scrollIntoView({block: 'center'}); const b = arguments[0].getBoundingClientRect();"
            " return [b.left, b.top, b.width, b.height]",
            element,
        )
        x, y = box[0] + box[2] * across, box[1] + box[3] / 2
        self.devtools("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for k in range(1, 6 if down else 1):
            self.devtools(
                "Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x, "y": y + down * k / 5}]
            )
        self.devtools("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def text(self, css: str) -> str:
        return self._ask("GET", f"{self.session}/element/{self.find(css)[ELEMENT]}/text")

    def press(self, *keys: str) -> None:
        """Keys, to whatever has the focus; "Shift+Right" holds one."""
        actions = []
        for key in keys:
            *held, last = key.split("+") if len(key) > 1 else [key]
            codes = [KEYS.get(k, k) for k in (*held, last)]
            actions += [{"type": "keyDown", "value": c} for c in codes] + [
                {"type": "keyUp", "value": c} for c in reversed(codes)
            ]
        self._ask(
            "POST",
            f"{self.session}/actions",
            {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]},
        )

    def click(self, css: str, across: float | None = None) -> None:
        """The mouse on the middle of an element, or at a fraction of its width."""
        element = self.find(css)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        width = self.run("return arguments[0].getBoundingClientRect().width", element)
        x = 0 if across is None else round(width * (across - 0.5))
        move = {"type": "pointerMove", "duration": 0, "x": x, "y": 0, "origin": element}
        self._ask(
            "POST",
            f"{self.session}/actions",
            {
                "actions": [
                    {
                        "type": "pointer",
                        "id": "mouse",
                        "parameters": {"pointerType": "mouse"},
                        "actions": [
                            move,
                            {"type": "pointerDown", "button": 0},
                            {"type": "pointerUp", "button": 0},
                        ],
                    }
                ]
            },
        )

    def picture(self, css: str) -> Any:
        """What is seen of an element: float[height, width, 3 or 4], from 0 to 1."""
        from matplotlib.image import imread

        element = self.find(css)[ELEMENT]
        return imread(
            io.BytesIO(base64.b64decode(self._ask("GET", f"{self.session}/element/{element}/screenshot")))
        )

    def until(self, script: str, *arguments: Any) -> None:
        """Wait until a script's answer is true."""
        deadline = time.monotonic() + 20
        while not self.run(script, *arguments):
            assert time.monotonic() < deadline, f"20 seconds passed, and not yet: {script}"
            time.sleep(0.02)

    def log(self, kind: str) -> list[dict[str, Any]]:
        return self._ask("POST", f"{self.session}/se/log", {"type": kind})

    def downloaded(self) -> Path:
        """The file that appears, once it is whole."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            # The browser holds the name with an empty file before it writes, under another name.
            files = [path for path in self.downloads.glob("*.csv") if path.stat().st_size]
            if files and not list(self.downloads.glob("*.crdownload")):
                return files[0]
            time.sleep(0.05)
        raise AssertionError(f"nothing was downloaded: {list(self.downloads.iterdir())}")
