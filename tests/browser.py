"""A page in headless Chromium, driven through its debugging pipe (no packages needed).

browser = Browser(); browser.open(path, width, height); browser.evaluate(js); browser.screenshot(file); browser.pdf(file)
Everything the page complained about is in browser.complaints. Unavailable: Chromium is not there or does not start.
"""
import base64, json, os, select, shutil, subprocess, tempfile, time


class Unavailable(Exception):
    pass


class Browser:
    def __init__(self):
        program = shutil.which("chromium")
        if not program:
            raise Unavailable("chromium is not installed")
        self.home = tempfile.mkdtemp()
        to_browser, self.sending = os.pipe()
        self.receiving, from_browser = os.pipe()
        os.set_inheritable(to_browser, True)
        os.set_inheritable(from_browser, True)
        # the pipe is on descriptors 3 and 4
        command = ["bash", "-c", f'exec 8<&{to_browser} 9>&{from_browser}; exec "$@" 3<&8 4>&9', "browser", program, "--headless=new",
                   "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.home}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), env={**os.environ, "HOME": self.home},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.session, self.complaints, self.requests = 0, b"", None, [], []
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(domain + ".enable")
        except (EOFError, BrokenPipeError, TimeoutError) as problem:
            self.close()
            raise Unavailable(f"chromium does not start: {problem}")

    def message(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.receiving], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("chromium does not answer")
            data = os.read(self.receiving, 1 << 20)
            if not data:
                raise EOFError("chromium has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.sending, json.dumps(request).encode() + b"\0")
        return self.wait(lambda message: message.get("id") == self.number)["result"]

    def wait(self, wanted, seconds=60):
        until = time.monotonic() + seconds
        while True:
            message = self.message(until)
            method, params = message.get("method"), message.get("params", {})
            if "error" in message:
                raise RuntimeError(message["error"])
            if method == "Runtime.exceptionThrown":
                self.complaints.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                self.complaints.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                self.complaints.append(str(params["args"]))
            elif method == "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            if wanted(message):
                return message

    def open(self, path, width=1200, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait(lambda message: message.get("method") == "Page.loadEventFired")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=False)["data"])

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
