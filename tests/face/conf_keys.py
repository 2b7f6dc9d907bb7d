#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""THE KEY TABLE, conf/dcbxd.conf and dcbxd.conf(5) say the same.

Every key of the table is in both texts and the other way round, with the
same default and the same range; conf/dcbxd.conf has them in the table's
order, all commented out; it stays valid when they are not; and the examples
of the manual page and of conf/conf.d are valid too.
"""
import os
import re
import subprocess
import sys
import tempfile

SRC = os.environ.get("srcdir", ".")
LIST = os.path.join(os.environ.get("builddir", "."), "tests/face/list_keys")
failures = []


def check(ok, *what):
    if not ok:
        failures.append(" ".join(str(w) for w in what))


def read(name):
    with open(os.path.join(SRC, name), encoding="utf-8") as f:
        return f.read()


def table():
    out = subprocess.run([LIST], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in out.stdout.splitlines()]


def section_of(stack):
    """Keys of a profile are listed inside of the port."""
    return stack[-1] if stack else "root"


def conf_keys(text):
    """(section, key, value, help) of each line that '#' hides."""
    stack, found, said = [], [], None
    for line in text.splitlines():
        if re.match(r"\s*# ", line):
            said = line.strip()[2:]
            continue
        check(line == "" or line[0] == "#", "not commented out:", line)
        line = line[1:].strip()
        if line.endswith("{"):
            stack.append(line.split()[0])
        elif line == "}":
            stack.pop()
        elif "=" in line:
            key, value = (s.strip() for s in line.split("=", 1))
            found.append((section_of(stack), key, value, said))
    check(not stack, "sections left open:", stack)
    return found


def compare_conf(rows):
    found = conf_keys(read("conf/dcbxd.conf"))
    want = []
    for section, key, default, _, _, _, said in rows:
        if section == "profile":
            section = "port"
        want.append((section, key, default, said))
    check(len(found) == len(want), "dcbxd.conf has", len(found), "keys of",
          len(want))
    for f, w in zip(found, want):
        if w[2] == "":  # it has no default: what stands there is an example
            f = (*f[:2], "", f[3])
        check(f == w, "dcbxd.conf:", f, "\n  the table:", w)
        if f != w:
            break  # all that follow are shifted


def man_keys(text):
    """(section, key) -> (default, first line) of each tagged key."""
    heads = {"Outside of all sections": "root",
             "Applications as a whole": "profile", "Trust": "profile"}
    section, found = None, {}
    lines = text.split(".Sh KEYS\n")[1].split(".Sh FILES\n")[0].splitlines()
    for line, after in zip(lines, lines[1:]):
        if line.startswith(".Ss "):
            head = line[4:]
            section = heads.get(head, head.replace("Section ", ""))
        m = re.match(r"\.It Ic ([a-z0-9-]+)(?: = (.*))?$", line)
        if m:
            check((section, m[1]) not in found, "twice in the manual:", m[0])
            found[section, m[1]] = ((m[2] or "").replace(r"\(dq", '"'),
                                    after.replace(r"\(dq", '"'))
    return found


def range_text(allowed, least, most):
    if most == "0":
        return f"Allowed: {allowed}."
    if least == most:
        return f"Allowed: {allowed}, exactly {most} of them."
    return f"Allowed: {allowed}, {least} to {most} of them."


def compare_man(rows):
    found = man_keys(read("man/dcbxd.conf.5"))
    for section, key, default, allowed, least, most, _ in rows:
        f = found.pop((section, key), None)
        check(f is not None, "not in the manual:", section, key)
        if f is None:
            continue
        check(f[0] == default, "manual:", section, key, f[0], "not", default)
        want = range_text(allowed, least, most)
        check(f[1] == want, "manual:", section, key, f[1], "not", want)
    check(not found, "only in the manual:", list(found))


def is_valid(text, what):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
        f.write(text)
        f.flush()
        r = subprocess.run([LIST, f.name], capture_output=True, text=True,
                           check=False)
    check(r.returncode == 0, what, r.stdout, r.stderr)


def compare_examples():
    conf = read("conf/dcbxd.conf")
    is_valid(conf, "dcbxd.conf")
    is_valid(re.sub(r"(?m)^#(?! )", "", conf), "dcbxd.conf, all in force")
    man = read("man/dcbxd.conf.5").split(".Sh EXAMPLES\n")[1]
    blocks = re.findall(r"\.Bd -literal[^\n]*\n(.*?)\.Ed", man, re.S)
    check(len(blocks) >= 3, "too few examples in the manual")
    for block in blocks:
        is_valid(block, "example of the manual:\n" + block)
    where = os.path.join(SRC, "conf/conf.d")
    for name in sorted(os.listdir(where)):
        is_valid(read(f"conf/conf.d/{name}"), name)


def compare_profiles():
    """Each shipped file has the profile of its name, and the manual too."""
    where = os.path.join(SRC, "conf/profiles")
    man = read("man/dcbxd.conf.5").split(".Ss Shipped profiles\n")[1]
    names = sorted(f.removesuffix(".conf") for f in os.listdir(where))
    for name in names:
        text = read(f"conf/profiles/{name}.conf")
        is_valid(f'{text}\nport "eth0" {{ profile = "{name}" }}\n', name)
    said = re.findall(r"\.It Cm (\S+)\n", man.split(".Ss")[0])
    check(said == names, "profiles of the manual:", said, "not", names)


def main():
    rows = table()
    check(len(rows) > 30, "the table is short:", len(rows))
    compare_conf(rows)
    compare_man(rows)
    compare_examples()
    compare_profiles()
    for f in failures:
        print(f)
    print(f"{len(rows)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
