#!/usr/bin/env python3
"""Python's SQLite as an adapter with one mistake, which the first argument names: for the tests of `qualm adapter check`."""
import json
import sqlite3
import sys

MISTAKE = sys.argv[1]
connection = None


def cell(value):
    if isinstance(value, bytes):
        return {"blob": value.hex()}
    if isinstance(value, float):
        return {"real": "Inf" if value > 0 else "-Inf"} if value in (float("inf"), float("-inf")) else \
            str(value) if MISTAKE == "floats-as-text" else value
    return "" if value is None and MISTAKE == "null-as-text" else value


def run(text):
    if MISTAKE == "error-ends" and text.startswith("THIS"):
        sys.exit(7)
    cursor = connection.execute(text)
    if cursor.description is None:
        return {"done": True}
    rows = [[cell(value) for value in row] for row in cursor]
    if MISTAKE == "few-rows":
        rows = rows[:1000]
    return {"rows": rows} if MISTAKE == "no-columns" else {"columns": len(cursor.description), "rows": rows}


def reply(request):
    global connection
    if request["do"] == "hello":
        return {"protocol": 1, "name": "mistaken", "version": "1", "language": "sql", "dialect": "sqlite", "batch": True,
                "plans_only": True}
    if request["do"] == "open":
        if connection is None or MISTAKE != "keeps-tables":
            connection = sqlite3.connect(":memory:", isolation_level=None)
        return {"done": True}
    if request["do"] == "plan":
        if MISTAKE == "plan-runs":
            connection.execute(request["text"])
        return {"plan": [{"depth": 0, "operator": "SCAN"}]}
    # No limit is kept, so that nothing may take long.
    if request["text"].count(" JOIN ") > 5:
        return {"error": "interrupted", "class": "expected" if MISTAKE == "limit-class" else "limit"}
    return run(request["text"])


for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "close":
        break
    texts = request.get("texts", [request.get("text")])
    for text in texts[:1] if MISTAKE == "one-reply" and len(texts) > 1 else texts:
        request["text"] = text
        try:
            said = reply(request)
        except (sqlite3.Error, sqlite3.Warning) as error:
            said = {"error": str(error)}
        if MISTAKE == "chatty":
            print("hello from the engine")
        print(json.dumps(said), flush=True)
    if MISTAKE == "one-reply" and len(texts) > 1:
        break
