"""Python's SQLite with faults, for tests of what is made of them.

- A statement that calls hex() reports damage. With the setting `real.good` it is answered; with `real.refusing` it is
  refused. The setting `made_up` cannot be set at all.
- Asking for the plan of a statement runs it, as some engines do. With the argument `plans-only` the adapter says that
  it does not.
"""
import json
import re
import sqlite3
import sys

KNOBS = """
list = "SELECT 'made_up', 'on'"
set = "SET {name} = {value}"
reset = "SET {name} = {current}"
[group.real]
list = "SELECT 'good' UNION ALL SELECT 'refusing'"
set = "SELECT 'switched off: {members}'"
reset = "SELECT 'switched off: '"
[[knob]]
name = "made_up"
values = ["on", "off"]
class = "optimiser"
operators = ["*"]
[[knob]]
name = "real.good"
class = "optimiser"
operators = ["*"]
[[knob]]
name = "real.refusing"
class = "optimiser"
operators = ["*"]
"""
PREAMBLE = "PRAGMA cache_size = 77"
off = ""


def answer(request):
    global connection, off
    if request["do"] == "hello":
        return {"protocol": 1, "name": "faulty", "version": "1", "language": "sql", "dialect": {"base": "sqlite", "preamble": [PREAMBLE]},
                "knobs": KNOBS, "plans_only": "plans-only" in sys.argv}
    if request["do"] == "open":
        connection, off = sqlite3.connect(":memory:", isolation_level=None), ""
        return {"done": True}
    text = request["text"]
    if request["do"] == "plan":
        connection.execute(text)
        return {"plan": [{"depth": 0, "operator": "SCAN"}]}
    if "switched off: " in text:
        off = text.split("switched off: ")[1].strip("'")
    if re.search(r"\bhex\(", text) and "good" not in off:
        damage = {"error": "database disk image is malformed", "class": "internal"}
        return {"error": "not with this setting"} if "refusing" in off else damage
    cursor = connection.execute(text)
    if cursor.description is None:
        return {"done": True}
    wrap = lambda cell: {"blob": cell.hex()} if isinstance(cell, bytes) else cell
    return {"columns": len(cursor.description), "rows": [[wrap(cell) for cell in row] for row in cursor]}


for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "close":
        break
    try:
        reply = answer(request)
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        reply = {"error": str(error), "class": "expected"}
    print(json.dumps(reply).replace("-Infinity", '{"real": "-Inf"}').replace("Infinity", '{"real": "Inf"}'), flush=True)
