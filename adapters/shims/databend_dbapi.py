"""Databend inside of this process as a module with the DB-API, for adapters/dbapi.py. One process has one store, below the
folder where it is when the engine is loaded; each connection has a database of its own in it."""
import _thread
import atexit
import os
import shutil
import tempfile

import pyarrow

PLACE = tempfile.mkdtemp(prefix="qualm-databend-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
atexit.register(shutil.rmtree, PLACE, ignore_errors=True)
HERE = os.getcwd()
os.chdir(PLACE)
import databend  # noqa: E402

CONTEXT = databend.SessionContext()
os.chdir(HERE)
ROUNDS = iter(range(2**62))


class Error(Exception):
    pass


def run(text):
    try:
        return CONTEXT.sql(text).to_arrow_table()
    except KeyboardInterrupt:
        raise Error("interrupted") from None
    except RuntimeError as error:
        # The rest is a backtrace without names.
        raise Error(str(error).split("\n\n", 1)[0]) from None


class Cursor:
    def __init__(self):
        self.description, self.rows = None, []

    def execute(self, text):
        table = run(text)
        if text.split(None, 1)[0].upper() not in ("SELECT", "WITH", "VALUES", "EXPLAIN", "SHOW"):
            return
        self.description = [(name,) for name in table.column_names]
        self.rows = list(zip(*(column.to_pylist() for column in table.columns)))

    def fetchall(self):
        return self.rows


class Connection:
    def __init__(self):
        self.name = "d%d" % next(ROUNDS)
        run("CREATE DATABASE " + self.name)
        run("USE " + self.name)

    def cursor(self):
        return Cursor()

    def interrupt(self):
        _thread.interrupt_main()

    def close(self):
        run("DROP DATABASE " + self.name)


def connect():
    return Connection()
