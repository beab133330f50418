#!/usr/bin/env python3
"""Puts a dragoman server under the load of many clients: all endpoints at once, clients that leave or send garbage,
models that are replaced meanwhile, and a stop in the middle. Fails if a request gets an answer that it should not get,
if one is lost, if the server does not end with status 0, or if a sanitizer reports anything.

    tests/serve/load.py [--seconds N] [--clients N] PROGRAM [FLAG...]

PROGRAM is started as `PROGRAM serve`, with the models of models/ and the flags."""
import argparse
import collections
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

REPORTS = re.compile(r"Sanitizer|runtime error:")
WORDS = "the a old new house dog city man woman sees buys in with of market street red big small and".split()
JSON = {"Content-Type": "application/json"}


class Server:
    def __init__(self, program, flags):
        self.log = tempfile.TemporaryFile("w+")
        models = [flag for pair in ("en-de", "de-en") for flag in ("--model", f"{pair}=models/{pair}.safetensors")]
        command = [*program.split(), "serve", "--port", "0", "--admin-port", "0", "--cache-mb", "1", *models, *flags]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        self.port = self.wait_for_port("listening")
        self.admin_port = self.wait_for_port("metrics and reloads")

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def wait_for_port(self, what):
        for _ in range(3000):
            found = re.search(what + r" on http://.*:(\d+)", self.text())
            if found:
                return int(found.group(1))
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.process.kill()
        sys.exit("the server does not start:\n" + self.text())

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def connect_admin(self):
        return http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=120)


def sentence(words=12):
    return " ".join(random.choice(WORDS) for _ in range(words)).capitalize() + "."


def call(connection, method, path, body=None, headers=JSON):
    body = json.dumps(body) if isinstance(body, (dict, list)) else body
    connection.request(method, path, body, headers if body is not None else {})
    response = connection.getresponse()
    return response.status, response.read()


def translate(connection):
    texts = [sentence(random.randint(1, 30)) for _ in range(random.randint(1, 8))]
    body = {"q": texts, "source": random.choice(["en", "auto"]), "target": "de", "alternatives": random.randint(0, 3)}
    return call(connection, "POST", "/translate", body)


def translate_html(connection):
    body = {"q": f"<p>{sentence()} <b>{sentence(3)}</b></p><p>{sentence()}", "source": "en", "target": "de", "format": "html"}
    return call(connection, "POST", "/translate", body)


def translate_form(connection):
    form = "q=Hello+world&source=en&target=de"
    return call(connection, "POST", "/translate", form, {"Content-Type": "application/x-www-form-urlencoded"})


def use_glossary(connection):
    body = {"name": "load", "source_lang": "en", "target_lang": "de", "entries": "dog\tHund\nhouse\tGebäude"}
    status, answer = call(connection, "POST", "/v2/glossaries", body)
    if status != 201:
        return status, answer
    name = json.loads(answer)["glossary_id"]
    body = {"text": [sentence() + " The dog."], "source_lang": "EN", "target_lang": "DE", "glossary_id": name}
    translated = call(connection, "POST", "/v2/translate", body)
    status, answer = call(connection, "DELETE", "/v2/glossaries/" + name)
    return translated if status == 204 else (status, answer)


def translate_file(connection):
    part = "--x\r\nContent-Disposition: form-data; name="
    body = "".join(f'{part}"{key}"\r\n\r\n{value}\r\n' for key, value in (("source", "en"), ("target", "de")))
    body += f'{part}"file"; filename="a.txt"\r\n\r\n{sentence()}\n\n{sentence()}\r\n--x--\r\n'
    status, answer = call(connection, "POST", "/translate_file", body, {"Content-Type": "multipart/form-data; boundary=x"})
    if status != 200:
        return status, answer
    return call(connection, "GET", "/download_file/" + json.loads(answer)["translatedFileUrl"].rsplit("/", 1)[1])


def explain(connection):
    return call(connection, "POST", "/v1/explain", {"q": sentence(6), "source": "en", "target": "de"})


def look_around(connection):
    paths = ["/health", "/languages", "/openapi.json", "/v1/models", "/v2/languages", "/", "/frontend/settings"]
    return call(connection, "GET", random.choice(paths))


def send_garbage(connection):
    bodies = ["{", "[" * 1000, '{"q": 1e999}', '{"q": "a"}', '{"q": "a", "source": "xx", "target": "de"}']
    status, answer = call(connection, "POST", "/translate", random.choice(bodies))
    return (200 if status == 400 else status), answer


def leave(connection):
    connection.request("POST", "/translate", json.dumps({"q": sentence(2000), "source": "en", "target": "de"}), JSON)
    time.sleep(random.random() / 10)
    connection.close()
    return 200, b""


def leave_early(connection):
    connection.connect()
    request = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nq=a"
    connection.sock.sendall(request[: random.randint(1, len(request))])
    connection.close()
    return 200, b""


SCENES = [translate, translate, translate_html, translate_form, use_glossary, translate_file, explain, look_around,
          send_garbage, leave, leave_early]


def play(server, deadline, counts, failures):
    connection = server.connect()
    while time.monotonic() < deadline:
        scene = random.choice(SCENES)
        try:
            status, answer = scene(connection)
        except (OSError, http.client.HTTPException) as error:
            status, answer = 0, repr(error).encode()
            connection.close()
        counts[scene.__name__] += 1
        if status == 503:
            counts["503"] += 1
        elif status != 200:
            failures.append(f"{scene.__name__}: {status} {answer[:200]!r}")


def replace_models(server, deadline, counts, failures):
    while time.monotonic() < deadline:
        status, answer = call(server.connect_admin(), "POST", "/admin/reload")
        call(server.connect_admin(), "GET", "/metrics")
        counts["reload"] += 1
        if status != 200:
            failures.append(f"reload: {status} {answer[:200]!r}")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)


# Every request that was sent before the server was stopped is answered.
def stop_under_load(server, clients, failures):
    waiting = []
    for _ in range(clients):
        connection = server.connect()
        body = {"q": [sentence() for _ in range(10)], "source": "en", "target": "de"}
        connection.request("POST", "/translate", json.dumps(body), JSON)
        waiting.append(connection)
    server.process.terminate()
    for connection in waiting:
        try:
            response = connection.getresponse()
            answer = response.read()
            if response.status not in (200, 503):
                failures.append(f"stop: {response.status} {answer[:200]!r}")
        except (OSError, http.client.HTTPException) as error:
            failures.append(f"stop: a request was lost: {error!r}")
    try:
        if server.process.wait(timeout=120) != 0:
            failures.append(f"the server ended with status {server.process.returncode}")
    except subprocess.TimeoutExpired:
        failures.append("the server does not end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("program")
    parser.add_argument("flags", nargs="*")
    options = parser.parse_args()
    server = Server(options.program, options.flags)
    counts, failures = collections.Counter(), []
    try:
        deadline = time.monotonic() + options.seconds
        arguments = (server, deadline, counts, failures)
        threads = [threading.Thread(target=play, args=arguments) for _ in range(options.clients)]
        threads.append(threading.Thread(target=replace_models, args=arguments))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stop_under_load(server, options.clients, failures)
    finally:
        if server.process.poll() is None:
            server.process.kill()
    log = server.text()
    if REPORTS.search(log):
        failures.append("a sanitizer reports:\n" + log[REPORTS.search(log).start():][:5000])
    print(f"{sum(counts.values())} calls: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    for failure in failures[:20]:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
