#!/usr/bin/env python3
"""Kuzu and LadybugDB for qualm: `qualm hunt 'exec:python3 examples/kuzu_adapter.py kuzu'` (or `ladybug`).

The module is taken from where Python finds it, or from what './x kuzu 0.11.3' has fetched when a release follows:
`kuzu_adapter.py kuzu 0.11.3`. The protocol is in docs/adapter.md.
"""
import datetime
import decimal
import importlib
import json
import math
import os
import re
import sys
import time
import uuid

TEXT, FLOAT, INT = {"of": "text"}, {"of": "float"}, {"of": "int"}

# What the two can do beside or unlike openCypher. A property has one type, and integers overflow with an error.
DIALECT = {
    "base": "opencypher",
    "kinds": ["int", "float", "text", "bool", "date", "list"],
    "mixed": "no",
    "mixed_order": "error",
    "literals": [["date", "date('{}')"]],
    # A MATCH may use a relationship twice, and one without a direction has a loop twice.
    "trails": False,
    "without": ["call_subquery", "label_predicate", "several_labels", "remove", "set_label", "properties_function"],
    "functions": [
        ["to_int64", [TEXT], "int"], ["to_int64", [FLOAT], "int"], ["to_double", [TEXT], "float"],
        ["to_double", [INT], "float"], ["to_string", [INT], "text"], ["to_string", [{"of": "bool"}], "text"],
        ["abs", [INT], "int"], ["abs", [FLOAT], "float"], ["sign", ["number"], "int"],
        ["left", [TEXT, "small_int"], "text"], ["right", [TEXT, "small_int"], "text"], ["ltrim", [TEXT], "text"],
        ["rtrim", [TEXT], "text"], ["trim", [TEXT], "text"], ["lower", [TEXT], "text"], ["upper", [TEXT], "text"],
        ["reverse", [TEXT], "text"], ["substring", [TEXT, "small_int", "small_int"], "text"], ["size", [TEXT], "int"],
        ["size", [{"of": "list"}], "int"], ["ceil", [FLOAT], "float"], ["floor", [FLOAT], "float"],
        ["sqrt", [FLOAT], "float"], ["concat", [TEXT, TEXT], "text"], ["list_contains", [{"of": "list"}, INT], "bool"],
    ],
    "schema": {
        "node": "CREATE NODE TABLE {label}({columns}, PRIMARY KEY (k))",
        "relationship": "CREATE REL TABLE {type}({pairs}, {columns})",
        "pair": "FROM {from} TO {to}",
        "column": "{property} {type}",
        "types": [["int", "INT64"], ["float", "DOUBLE"], ["text", "STRING"], ["bool", "BOOL"], ["date", "DATE"],
                  ["list", "INT64[]"]],
    },
    # The buffer pool is as small as we made it.
    "errors": [["Interrupted", "Limit"], ["Buffer manager exception", "Limit"], ["Assertion", "Internal"],
               # What the standard library of C++ says when the engine's own tables are wrong.
               ["unordered_map::at", "Internal"], ["map::at", "Internal"], ["vector::_M", "Internal"],
               ["bad_variant_access", "Internal"], ["basic_string::", "Internal"],
               ["should never happen", "Internal"], ["unreachable", "Internal"], ["KU_UNREACHABLE", "Internal"]],
    "knobs": [{"name": name, "set": "CALL %s=%s" % (name, off), "reset": "CALL %s=%s" % (name, on)} for name, off, on in
              [("enable_plan_optimizer", "false", "true"), ("enable_zone_map", "false", "true"),
               ("enable_semi_mask", "false", "true"), ("threads", "2", "1")]],
    "self_test": {
        "statements": ["CREATE NODE TABLE L(k INT64, p STRING, PRIMARY KEY (k))",
                       "CREATE REL TABLE E(FROM L TO L, k INT64, w DOUBLE)",
                       "CREATE (:L {k: 1, p: 'a'})-[:E {k: 1, w: 0.5}]->(:L {k: 2})"],
        "question": "MATCH (a:L)-[e:E]->(b:L) RETURN a.k, a.p, e.w, b.p",
        "answer": [[1, "a", 0.5, None]],
    },
}


OWN = {"_id", "_label", "_src", "_dst", "_nodes", "_rels"}


def wrap(value):
    """A value of the module's as the protocol has it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return {"real": "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"}
    if isinstance(value, decimal.Decimal):
        return {"decimal": format(value, "f")}
    if isinstance(value, (bytes, bytearray)):
        return {"blob": value.hex()}
    if isinstance(value, datetime.datetime):
        return {"timestamp": value.isoformat()}
    if isinstance(value, datetime.date):
        return {"date": value.isoformat()}
    if isinstance(value, datetime.timedelta):
        return {"duration": str(value)}
    if isinstance(value, uuid.UUID):
        return {"uuid": str(value)}
    if isinstance(value, (list, tuple)):
        return [wrap(member) for member in value]
    if isinstance(value, dict):
        return wrap_dict(value)
    return {"other": repr(value)}


def wrap_dict(value):
    # LadybugDB writes these keys in capitals.
    own = {k.lower(): v for k, v in value.items() if isinstance(k, str) and k.lower() in OWN}
    properties = {k: wrap(v) for k, v in value.items() if str(k).lower() not in own and v is not None}
    place = lambda key: "{table}:{offset}".format(**own[key])
    if "_src" in own:
        return {"relationship": {"id": place("_id"), "type": own["_label"], "from": place("_src"), "to": place("_dst"),
                                 "properties": properties}}
    if "_id" in own:
        return {"node": {"id": place("_id"), "labels": [own["_label"]], "properties": properties}}
    if "_nodes" in own:
        return {"path": {"nodes": wrap(own["_nodes"]), "relationships": wrap(own["_rels"])}}
    return {"map": {str(k): wrap(v) for k, v in value.items()}}


class Adapter:
    def __init__(self, module):
        self.module = module
        self.database = self.connection = None

    def hello(self, _):
        return {"protocol": 1, "name": self.module.__name__, "version": self.module.__version__, "language": "graph",
                "dialect": dict(DIALECT, name=self.module.__name__)}

    def open(self, _):
        if self.connection is not None:
            self.connection.close()
            self.database.close()
        self.database = self.module.Database(":memory:", buffer_pool_size=256 << 20, max_db_size=1 << 30)
        self.connection = self.module.Connection(self.database, num_threads=1)
        return {"done": True}

    def run(self, request):
        until = time.monotonic() + request["limit_ms"] / 1000
        self.connection.set_query_timeout(request["limit_ms"])
        result = self.connection.execute(request["text"])
        columns = result.get_column_names()
        # Statements about tables answer with a sentence.
        if not columns or columns == ["result"]:
            return {"done": True}
        rows = []
        while result.has_next():
            rows.append(wrap(result.get_next()))
            # The engine's own limit ends before rows are read: thousands of walks take longer than finding them did.
            if time.monotonic() > until:
                return {"error": "too many rows for the time", "class": "limit"}
        return {"columns": len(columns), "rows": rows}

    def plan(self, request):
        text = self.connection.execute("EXPLAIN " + request["text"]).get_all()[0][0]
        names = re.findall(r"│\s+([A-Z_]+)\[\d+\]\s+(?=│)", text)
        return {"plan": [{"depth": depth, "operator": name} for depth, name in enumerate(names)]}


def main():
    name, releases = sys.argv[1], sys.argv[2:]
    if releases:
        cache = os.environ.get("QUALM_CACHE") or os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "qualm")
        sys.path.insert(0, os.path.join(cache, name, releases[0]))
    adapter = Adapter(importlib.import_module(name))
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "close":
            break
        try:
            reply = getattr(adapter, request["do"])(request)
        except RuntimeError as error:
            reply = {"error": str(error)}
        print(json.dumps(reply), flush=True)


main()
