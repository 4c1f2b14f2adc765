"""ClickHouse inside of this process as a module with the DB-API, for adapters/dbapi.py: the package chdb-core, whose library
has no C interface. One process has one server, so each connection has a database of its own in it."""
import atexit
import datetime
import decimal
import json
import os
import shutil
import tempfile

from chdb import session

PLACE = tempfile.mkdtemp(prefix="qualm-chdb-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
SESSION = session.Session(PLACE)


def end():
    SESSION.close()
    shutil.rmtree(PLACE, ignore_errors=True)


atexit.register(end)
ROUNDS = iter(range(2**62))
# As the built-in driver has them.
SETTINGS = [
    "join_use_nulls = 1",
    "aggregate_functions_null_for_empty = 1",
    "cast_keep_nullable = 1",
    "union_default_mode = 'DISTINCT'",
    "intersect_default_mode = 'DISTINCT'",
    "except_default_mode = 'DISTINCT'",
    "prefer_column_name_to_alias = 1",
    "use_variant_as_common_type = 0",
    "transform_null_in = 0",
    "input_format_null_as_default = 0",
    "insert_null_as_default = 0",
    "async_insert = 0",
    "mutations_sync = 2",
    "alter_sync = 2",
    "lightweight_deletes_sync = 2",
    # Numbers as JSON has them, where it has them.
    "output_format_json_quote_64bit_integers = 0",
    "output_format_json_quote_denormals = 1",
    "output_format_json_quote_decimals = 1",
    # The limit of a statement, in seconds: there is no other way to end one.
    "max_execution_time = 2",
]


class Error(Exception):
    pass


def run(text, form="Null"):
    try:
        return SESSION.query(text, form)
    except RuntimeError as error:
        raise Error(str(error).split("\nStack trace:")[0]) from None


def reader(kind):
    """What makes a value of a type of ClickHouse from what JSON has of it."""
    for wrapper in ("Nullable(", "LowCardinality("):
        if kind.startswith(wrapper):
            return reader(kind[len(wrapper):-1])
    if kind.startswith("Float"):
        return float
    if kind.startswith("Decimal"):
        return decimal.Decimal
    if kind in ("Date", "Date32"):
        return datetime.date.fromisoformat
    if kind.startswith("DateTime"):
        return datetime.datetime.fromisoformat
    return lambda value: value


class Cursor:
    def __init__(self):
        self.description, self.rows = None, []

    def execute(self, text):
        if text.split(None, 1)[0].upper() not in ("SELECT", "WITH", "VALUES", "EXPLAIN", "SHOW"):
            run(text)
            return
        answer = json.loads(bytes(run(text, "JSONCompact").bytes()))
        readers = [reader(column["type"]) for column in answer["meta"]]
        self.description = [(column["name"],) for column in answer["meta"]]
        self.rows = [[None if v is None else read(v) for read, v in zip(readers, row)] for row in answer["data"]]

    def fetchall(self):
        return self.rows


class Connection:
    def __init__(self):
        self.name = "d%d" % next(ROUNDS)
        run("CREATE DATABASE " + self.name)
        run("USE " + self.name)
        for setting in SETTINGS:
            run("SET " + setting)

    def cursor(self):
        return Cursor()

    def close(self):
        run("DROP DATABASE " + self.name)


def connect():
    return Connection()
