# SPDX-License-Identifier: ISC
"""What the tests of dcbxctl share.

Tests run in the build directory, as `make check` does: dcbxctl is there, the
sources are at $srcdir.  FakeDaemon answers on a socket of its own what a test
tells it to, so that no interface, no right and no dcbxd is needed.
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unicodedata

SRC = os.environ.get("srcdir", ".")
CTL = os.path.abspath("dcbxctl")


def skip(why):
    print("SKIP:", why)
    sys.exit(77)


def source(path):
    return os.path.join(SRC, path)


def sample(verb):
    """The document of a verb; of watch a list, one event a line."""
    if verb == "watch":
        with open(source("conf/samples/watch.ndjson")) as f:
            return [json.loads(line) for line in f]
    with open(source("conf/samples/%s.json" % verb)) as f:
        return json.load(f)


def schema_errors(verb, document):
    """What is wrong with a document, as text; needs python3-jsonschema."""
    import jsonschema
    with open(source("conf/schema.json")) as f:
        defs = json.load(f)["$defs"]
    validator = jsonschema.Draft202012Validator(
        {"$ref": "#/$defs/" + verb, "$defs": defs})
    return ["%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:200])
            for e in validator.iter_errors(document)]


def run(*words, socket_path=None, stdin=b"", **env):
    """Run dcbxctl; the result has returncode, stdout and stderr as text."""
    full = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    full.update({k: v for k, v in os.environ.items() if "SAN_OPT" in k})
    full.update(env)
    if socket_path is not None:
        full["DCBX_SOCKET"] = socket_path
    p = subprocess.run([CTL, *words], input=stdin, env=full, timeout=60,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout = p.stdout.decode("utf-8", "surrogateescape")
    p.stderr = p.stderr.decode("utf-8", "surrogateescape")
    if "Sanitizer" in p.stderr or "runtime error:" in p.stderr:
        raise SystemExit("%s: %s" % (words, p.stderr))
    return p


def error(name, **parameters):
    """An error reply for FakeDaemon."""
    return json.dumps({"error": name, "parameters": parameters}).encode() + \
        b"\0"


def columns(line):
    """Columns of a terminal that a line takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    return len(line) + wide


def spots(value):
    """Every container and key in a document."""
    keys = value if isinstance(value, dict) else range(len(value))
    for k in keys:
        yield value, k
        if isinstance(value[k], (dict, list)):
            yield from spots(value[k])


ODD = (None, True, -1, 2**62, 1.5, "", "\x1b[2J\u202e\"", [], {}, [[]],
       ["x"] * 8, [2**40] * 8, {"x": None}, [None] * 9)


def frame(name=b"peer", chassis=b"\4\2\0\0\0\0\xaa", port=b"\7p1",
          ttl=120, tlvs=()):
    """An LLDP frame; tlvs are (type, value) behind the System Name."""
    out = bytes.fromhex("0180c200000e0200000000aa88cc")
    for kind, value in ((1, chassis), (2, port), (3, ttl.to_bytes(2, "big")),
                        (5, name), *tlvs, (0, b"")):
        out += (kind << 9 | len(value)).to_bytes(2, "big") + value
    return out.ljust(60, b"\0")


class FakeDaemon:
    """Answers each method with the replies a test gives.

    answers: {"GetStatus": reply or [replies]}; a reply is a dict (the
    parameters), or bytes sent as they are, or None: close the connection.
    A function is called with the call and returns any of these.
    """

    def __init__(self, answers):
        self.answers = answers
        self.calls = []
        self.dir = tempfile.TemporaryDirectory(prefix="dcbxctl-test.")
        self.path = os.path.join(self.dir.name, "sock")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.listener.close()
        self.dir.cleanup()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,),
                             daemon=True).start()

    def serve(self, client):
        pending = b""
        with client:
            while True:
                try:
                    data = client.recv(65536)
                except OSError:
                    return
                if not data:
                    return
                pending += data
                while b"\0" in pending:
                    call, pending = pending.split(b"\0", 1)
                    if not self.answer(client, json.loads(call)):
                        return

    def answer(self, client, call):
        self.calls.append(call)
        replies = self.answers.get(call["method"].rsplit(".", 1)[1], b"")
        if callable(replies):
            replies = replies(call)
        for reply in replies if isinstance(replies, list) else [replies]:
            if reply is None:
                return False
            if not isinstance(reply, bytes):
                reply = json.dumps({"parameters": reply}).encode() + b"\0"
            try:
                client.sendall(reply)
            except OSError:
                return False
        return True


class Checks:
    """Counts and names what failed; done() is the exit code."""

    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, ok, what, detail=""):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        print("FAIL: %s%s" % (what, "\n" + str(detail) if detail else ""))

    def done(self):
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(1 if self.failed or not self.passed else 0)
