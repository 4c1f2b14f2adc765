#!/usr/bin/env python3
"""Python's own SQLite for qualm, as the shortest useful adapter: `qualm hunt 'exec:python3 examples/sqlite_adapter.py'`.

The protocol is in docs/adapter.md. The dialect is the built-in one of SQLite, so nothing has to be described.
"""
import json
import math
import sqlite3
import sys
import time

CLASSES = {"interrupted": "limit", "string or blob too big": "limit", "out of memory": "out_of_memory",
           "database disk image is malformed": "internal"}


def wrap(value):
    if isinstance(value, bytes):
        return {"blob": value.hex()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"real": "Inf" if value > 0 else "-Inf"}
    return value


def answer(request):
    global connection
    if request["do"] == "hello":
        return {"protocol": 1, "name": "python-sqlite", "version": sqlite3.sqlite_version, "language": "sql",
                "dialect": "sqlite", "plans_only": True}
    if request["do"] == "open":
        connection = sqlite3.connect(":memory:", isolation_level=None)
        return {"done": True}
    if request["do"] == "plan":
        rows = connection.execute("EXPLAIN QUERY PLAN " + request["text"]).fetchall()
        return {"plan": [{"depth": 0, "operator": " ".join(row[3].split()[:1])} for row in rows]}
    until = time.monotonic() + request["limit_ms"] / 1000
    connection.set_progress_handler(lambda: time.monotonic() > until, 10000)
    cursor = connection.execute(request["text"])
    if cursor.description is None:
        return {"done": True}
    return {"columns": len(cursor.description), "rows": [[wrap(cell) for cell in row] for row in cursor]}


for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "close":
        break
    try:
        reply = answer(request)
    except (sqlite3.Error, sqlite3.Warning) as error:
        reply = {"error": str(error), "class": CLASSES.get(str(error), "expected")}
    print(json.dumps(reply), flush=True)
