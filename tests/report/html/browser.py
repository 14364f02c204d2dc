"""A headless Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp

Event = dict[str, Any]

_PATIENCE = 60.0
"""Seconds after which a browser that says nothing is given up."""


def chromium() -> str | None:
    """Where a Chromium is installed; None if there is none."""
    return next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


class Browser:
    """One page of one browser; everything it says is kept in `events`."""

    def __init__(self, program: str, folder: Path) -> None:
        self.events: list[Event] = []
        self._runner = asyncio.Runner()
        self._numbers = itertools.count(1)
        self._process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--remote-debugging-port=0",
                f"--user-data-dir={folder}",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
        )

    def __enter__(self) -> Browser:
        try:
            self._runner.run(self._connect(self._address()))
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.run(self._disconnect())
        self._end()

    def open(self, page: Path) -> None:
        """Show the file, and wait until it is loaded."""
        self.open_address(page.as_uri())

    def open_address(self, address: str) -> None:
        """The same of an address; what was shown before is forgotten."""
        for one in ("about:blank", address):  # a link within a page would not load it anew
            self._runner.run(self._open(one))

    def run(self, expression: str) -> Any:
        """The value of this JavaScript, once every promise in it is kept."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Press the mouse where the element is, as a person would."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({selector!r});"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.left + r.width / 2, r.top + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def press(self, key: str, code: int) -> None:
        """Press a key, by its name and its number."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **text,
            )

    def prefer(self, scheme: str) -> None:
        """Let the page believe that the reader prefers light, or dark."""
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def resize(self, width: int, height: int = 900, *, sharpness: float = 1.0) -> None:
        """Make the window so large."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=sharpness,
            mobile=False,
        )

    def screenshot(self, path: Path, *, height: int | None = None) -> None:
        """The page from its top, all of it or so many pixels."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": 0,
            "width": size["width"],
            "height": height or size["height"],
            "scale": 1,
        }
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(answer["data"]))

    def printed(self, path: Path) -> None:
        """The page as it would be printed, as a PDF."""
        answer = self.call(
            "Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.7
        )
        path.write_bytes(base64.b64decode(answer["data"]))

    def said(self, *methods: str) -> list[Event]:
        """The events of these kinds since the page was opened."""
        return [event for event in self.events if event["method"] in methods]

    def call(self, method: str, **parameters: Any) -> Any:
        """What the browser answers to this method of its protocol."""
        return self._runner.run(self._call(method, parameters))

    def _address(self) -> str:
        """What the browser writes once it listens."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if line.startswith("DevTools listening on "):
                return line.removeprefix("DevTools listening on ").strip()
        raise AssertionError("the browser ended before it listened")

    async def _connect(self, address: str) -> None:
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        host = address.split("/")[2]
        async with self._session.get(f"http://{host}/json/list") as answer:
            pages = [one for one in await answer.json() if one["type"] == "page"]
        self._socket = await self._session.ws_connect(
            pages[0]["webSocketDebuggerUrl"], max_msg_size=0
        )
        for part in ("Page", "Runtime", "Log", "Network"):
            await self._call(f"{part}.enable", {})

    async def _disconnect(self) -> None:
        await self._call("Browser.close", {})
        await self._socket.close()
        await self._session.close()

    def _end(self) -> None:
        self._runner.close()
        if self._process.poll() is None:
            self._process.terminate()
        self._process.communicate(timeout=_PATIENCE)

    async def _open(self, address: str) -> None:
        self.events.clear()
        await self._call("Page.navigate", {"url": address})
        await self._until(lambda event: event.get("method") == "Page.loadEventFired")

    async def _call(self, method: str, parameters: dict[str, Any]) -> Any:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        answer = await self._until(lambda event: event.get("id") == number)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    async def _until(self, wanted: Callable[[Event], bool]) -> Event:
        if found := next(filter(wanted, self.events), None):
            return found
        async with asyncio.timeout(_PATIENCE):
            while True:
                event: Event = await self._socket.receive_json()
                if "method" in event:
                    self.events.append(event)
                if wanted(event):
                    return event
