#!/usr/bin/env python3
"""Any database that has a Python module with the DB-API (PEP 249), as an engine for qualm:

    qualm hunt 'exec:python3 adapters/dbapi.py sqlite3 :memory:'
    qualm hunt 'exec:python3 adapters/dbapi.py --dialect sqlite turso {file}'

`dbapi.py --help` lists the options. The protocol is in docs/adapter.md; `qualm adapter check COMMAND` tests an adapter.
"""
import argparse
import datetime
import decimal
import importlib
import importlib.metadata
import json
import math
import os
import re
import shutil
import sys
import tempfile
import threading
import uuid
from time import monotonic, sleep


def arguments():
    parser = argparse.ArgumentParser(
        prog="dbapi.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs statements for qualm through a Python module that has the DB-API.",
        epilog="A connect argument KEY=VALUE is passed by keyword, its value read as JSON where it is JSON. {file} and "
               "{folder} in an\nargument stand for a path of a new file or folder for each database; it is removed "
               "afterwards. {unique} in an argument,\n--init or --reset is a name that no other adapter has: a "
               "schema on a server, for instance.")
    parser.add_argument("--path", action="append", default=[], metavar="FOLDER", help="look for modules here first")
    parser.add_argument("--dialect", metavar="NAME|FILE", help="a built-in dialect, or a dialect file (docs/dialects.md);"
                        " without it qualm probes the engine")
    parser.add_argument("--name", help="the engine's name [default: the module's]")
    parser.add_argument("--package", help="the Python package whose version counts [default: the module's]")
    parser.add_argument("--init", action="append", default=[], metavar="SQL", help="run this in each new database")
    parser.add_argument("--reset", action="append", default=[], metavar="SQL",
                        help="run these statements to empty the database instead of connecting again")
    parser.add_argument("--explain", metavar="WORDS", help="what to put before a query for its plan, e.g. EXPLAIN")
    parser.add_argument("--plans-only", action="store_true", help="EXPLAIN of a change does not run it")
    parser.add_argument("--knobs", metavar="FILE", help="settings that must not change results, as in knobs/")
    parser.add_argument("module", metavar="MODULE")
    parser.add_argument("connect", nargs="*", metavar="CONNECT-ARG")
    return parser.parse_args()


# ---------------------------------------------------------------- values

# JSON has no NaN, and qualm reads plain numbers exactly up to 64 bits and 15 digits of a float: answers that may hold
# others are looked at cell by cell.
LONG_NUMBER = re.compile(r"[\d.]{16}|\de[+-]?\d")


def wrap(value):
    """A value as the protocol has it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -2**63 <= value < 2**64 else {"decimal": str(value)}
    if isinstance(value, float):
        if math.isfinite(value):
            return value if len(repr(value)) < 16 else {"real": repr(value)}
        return {"real": "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"}
    if isinstance(value, decimal.Decimal):
        return {"decimal": format(value, "f")} if value.is_finite() else {"real": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"blob": bytes(value).hex()}
    if isinstance(value, datetime.datetime):
        return {"timestamp": value.isoformat(" ")}
    if isinstance(value, datetime.date):
        return {"date": value.isoformat()}
    if isinstance(value, datetime.time):
        return {"time": value.isoformat()}
    if isinstance(value, datetime.timedelta):
        return {"duration": str(value)}
    if isinstance(value, uuid.UUID):
        return {"uuid": str(value)}
    if isinstance(value, (list, tuple)):
        return [wrap(member) for member in value]
    if isinstance(value, dict):
        return {"map": {str(key): wrap(member) for key, member in value.items()}}
    return {"other": repr(value)}


# Made once: `json.dumps` with options makes one for each call.
PLAIN = json.JSONEncoder(default=wrap, allow_nan=False, check_circular=False, separators=(",", ":")).encode


def answer_text(columns, rows):
    """The reply to a query. Most answers are plain, and the C part of `json` writes those at once."""
    if not rows:
        return '{"columns":%d,"rows":[]}' % columns
    try:
        text = PLAIN(rows)
        if LONG_NUMBER.search(text) is None:
            return '{"columns":%d,"rows":%s}' % (columns, text)
    except ValueError:
        pass
    return json.dumps({"columns": columns, "rows": [[wrap(cell) for cell in row] for row in rows]})


# ---------------------------------------------------------------- plans

TREE = re.compile(r"^[\s│├└─|+`\-\\>*]*")
OPERATOR = re.compile(r"[A-Za-z_]+(?: (?:[A-Z][A-Za-z]*)(?![\w.]))*")


def plan_of(rows):
    """Operators of a plan in text, one per line: the depth is the indentation, names and numbers are left out."""
    nodes = []
    for row in rows:
        texts = [cell for cell in row if isinstance(cell, str)]
        for line in (texts[-1] if texts else "").splitlines():
            drawn = TREE.match(line).group()
            word = OPERATOR.match(line[len(drawn):])
            if word:
                nodes.append({"depth": len(drawn) // 2, "operator": word.group()})
    return {"plan": nodes[:200]}


# ---------------------------------------------------------------- the engine

UNIQUE = "qualm_" + uuid.uuid4().hex[:16]


class Adapter:
    def __init__(self, options):
        self.options = options
        sys.path[:0] = options.path
        self.module = importlib.import_module(options.module)
        self.connection = self.cursor = self.place = None
        self.commits = False

    def hello(self):
        said = {"protocol": 1, "name": self.options.name or self.module.__name__, "version": self.version(),
                "language": "sql", "plans_only": self.options.plans_only, "batch": True}
        if self.options.dialect:
            said["dialect"] = self.options.dialect
        if self.options.knobs:
            with open(self.options.knobs, encoding="utf-8") as file:
                said["knobs"] = file.read()
        return said

    def version(self):
        # Python's own module has the version of its SQLite; others are named by their package.
        if self.module.__name__ == "sqlite3":
            return self.module.sqlite_version
        for name in [self.options.package, self.module.__name__, "py" + self.module.__name__]:
            try:
                return importlib.metadata.version(name)
            except (importlib.metadata.PackageNotFoundError, ValueError, TypeError):
                pass
        return str(getattr(self.module, "__version__", "unknown"))

    def open(self):
        if self.connection is not None and self.options.reset:
            for statement in self.options.reset:
                self.execute(self.filled(statement))
        else:
            self.close()
            self.connect()
        for statement in self.options.init:
            self.execute(self.filled(statement))
        return {"done": True}

    def connect(self):
        positional, keywords = [], {}
        for argument in self.options.connect:
            key, equals, value = argument.partition("=")
            if equals and key.isidentifier():
                keywords[key] = self.read(self.filled(value))
            else:
                positional.append(self.filled(argument))
        if self.module.__name__ == "sqlite3":
            # The watch of the time limit is another thread.
            keywords.setdefault("check_same_thread", False)
        self.connection = self.module.connect(*positional, **keywords)
        self.commits = not self.commit_by_itself()

    @staticmethod
    def read(text):
        try:
            return json.loads(text)
        except ValueError:
            return text

    def filled(self, argument):
        argument = argument.replace("{unique}", UNIQUE)
        if "{file}" not in argument and "{folder}" not in argument:
            return argument
        if self.place is None:
            # In memory where there is such a place: nothing has to survive.
            self.place = tempfile.mkdtemp(prefix="qualm-dbapi-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        return argument.replace("{file}", os.path.join(self.place, "database")).replace("{folder}", self.place)

    def commit_by_itself(self):
        """Whether each statement is a transaction of its own: the two spellings of that which modules have."""
        if hasattr(type(self.connection), "isolation_level"):
            try:
                self.connection.isolation_level = None
                return True
            except (AttributeError, TypeError, ValueError):
                pass
        if hasattr(self.connection, "autocommit"):
            try:
                self.connection.autocommit = True
                return True
            except (AttributeError, TypeError, ValueError):
                pass
        return not hasattr(self.connection, "commit")

    def close(self):
        connection, self.connection, self.cursor = self.connection, None, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # What is thrown away need not end well.
                pass
        if self.place is not None:
            shutil.rmtree(self.place, ignore_errors=True)
            self.place = None

    def leave(self):
        """At the end nothing of ours stays on a server."""
        try:
            for statement in self.options.reset if self.connection is not None else []:
                self.execute(self.filled(statement))
        except Exception:  # It was not there, or the connection is gone.
            pass
        self.close()

    def execute(self, text):
        cursor = self.cursor = self.connection.cursor()
        cursor.execute(text)
        described = cursor.description
        columns = len(described) if described else 0
        rows = cursor.fetchall() if columns else []
        if rows and type(rows[0]) is not tuple and not isinstance(rows[0], (tuple, list)):
            # Some modules, pyodbc for one, have a type of their own for a row: a sequence by what it does only.
            rows = [tuple(row) for row in rows]
        if self.commits:
            self.connection.commit()
        return columns, rows

    def within(self, limit_ms, text):
        """Runs a statement, and has the engine cancel it once it takes too long. Without a way to cancel, this process is
        started again and the database is gone."""
        WATCH.begin(limit_ms, self.cancel)
        try:
            return self.execute(text)
        finally:
            WATCH.until = None

    def cancel(self):
        owners = [(self.connection, "interrupt"), (self.connection, "cancel"), (self.cursor, "cancel")]
        ways = [getattr(owner, name, None) for owner, name in owners]
        next(filter(None, ways), start_again)()

    def run(self, text, limit_ms):
        columns, rows = self.within(limit_ms, text)
        return answer_text(columns, rows) if columns else '{"done":true}'

    def plan(self, text, limit_ms):
        if not self.options.explain:
            return {}
        return plan_of(self.within(limit_ms, self.options.explain + " " + text)[1])

    def error(self, error):
        text = " ".join(str(part) for part in error.args) or repr(error)
        said = {"error": text}
        if self.commits and self.connection is not None:
            try:
                self.connection.rollback()
            except Exception:  # The statement's own error says more.
                pass
        if WATCH.struck:
            said["class"] = "limit"
        elif isinstance(error, MemoryError):
            said["class"] = "out_of_memory"
        elif type(error).__name__ == "PanicException":
            said["class"] = "internal"
        return said


class Watch(threading.Thread):
    """One thread for all statements: starting a timer for each would cost more than most statements do."""

    def __init__(self):
        super().__init__(daemon=True)
        self.until = self.cancel = None
        self.struck = self.started = False

    def begin(self, limit_ms, cancel):
        self.struck = False
        self.cancel, self.until = cancel, monotonic() + limit_ms / 1000
        if not self.started:
            self.started = True
            self.start()

    def run(self):
        while True:
            # A look now and then is enough, and costs the statements nothing.
            sleep(0.1)
            until, cancel = self.until, self.cancel
            if until is not None and monotonic() > until:
                self.struck = True
                try:
                    cancel()
                except Exception:  # It has ended in the meantime.
                    pass


WATCH = Watch()


# ---------------------------------------------------------------- requests

def reply_to(adapter, request):
    if request["do"] == "hello":
        return json.dumps(adapter.hello())
    if request["do"] == "open":
        return json.dumps(adapter.open())
    if request["do"] == "plan":
        return json.dumps(adapter.plan(request["text"], request["limit_ms"]))
    return adapter.run(request["text"], request["limit_ms"])


def say(text):
    # Each reply by itself and at once: what was answered before the engine ends this process has been said.
    data = (text + "\n").encode("utf-8", "backslashreplace")
    written = os.write(OUTPUT, data)
    while written < len(data):
        data = data[written:]
        written = os.write(OUTPUT, data)


GONE = '{"error":"the statement took too long, and the engine was ended","class":"limit"}'
# How a process says to itself that it was started again.
AGAIN = "QUALM_DBAPI_AGAIN"
# Replies that the request owes.
OWED = 0


def start_again():
    """Another program takes the place of this one, and of the thread that waits for the engine. Nothing of the input is
    lost: a request comes when the one before was answered."""
    for _ in range(OWED):
        say(GONE)
    os.dup2(OUTPUT, 1)
    os.environ[AGAIN] = "1"
    os.execv(sys.executable, [sys.executable] + sys.argv)


def serve(options):
    global OWED
    adapter = None
    gone = os.environ.pop(AGAIN, None) is not None
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["do"] == "close":
            break
        gone = gone and request["do"] != "open"
        texts = request.get("texts")
        OWED = 1 if texts is None else len(texts)
        if gone:
            # The database is not what the script made it, so nothing is compared until there is a new one.
            for _ in range(OWED):
                say(GONE)
            continue
        limit_ms = request.get("limit_ms")
        for text in [None] if texts is None else texts:
            WATCH.struck = False
            try:
                if text is not None and adapter is not None:
                    reply = adapter.run(text, limit_ms)
                else:
                    adapter = adapter or Adapter(options)
                    reply = reply_to(adapter, request if text is None else dict(request, text=text))
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # Engines in Rust panic with exceptions outside of Exception.
                reply = json.dumps(adapter.error(error) if adapter else {"error": "%s: %s" % (type(error).__name__, error)})
            say(reply)
            OWED -= 1
    if adapter is not None:
        adapter.leave()


if __name__ == "__main__":
    # Modules that print must not write between the replies.
    OUTPUT = os.dup(1)
    os.dup2(2, 1)
    serve(arguments())
