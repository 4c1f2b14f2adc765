"""The SQL of Polars as a module with the DB-API, for adapters/dbapi.py. A SQLContext has tables but no INSERT; a table gets
its rows when it is made (`CREATE TABLE t AS SELECT …`), so this module keeps the rows of INSERT and makes the table again."""
import re

import polars

__version__ = polars.__version__

KINDS = {"BIGINT": polars.Int64, "INTEGER": polars.Int64, "INT": polars.Int32, "SMALLINT": polars.Int16,
         "DOUBLE": polars.Float64, "TEXT": polars.String, "VARCHAR": polars.String, "BOOLEAN": polars.Boolean,
         "DATE": polars.Date, "BLOB": polars.Binary}
CREATE = re.compile(r"\s*CREATE\s+TABLE\s+(\w+)\s*\((.*)\)\s*$", re.I | re.S)
INSERT = re.compile(r"\s*INSERT\s+INTO\s+(\w+)\s*(?:\(([\w\s,]*)\))?\s*(VALUES\b.*|SELECT\b.*|WITH\b.*)$", re.I | re.S)
DROP = re.compile(r"\s*DROP\s+TABLE\s+(\w+)\s*$", re.I)


class Cursor:
    def __init__(self, connection):
        self.connection, self.description, self.rows = connection, None, []

    def execute(self, text):
        frame = self.connection.run(text)
        if frame is not None:
            self.description = [(name,) for name in frame.columns]
            self.rows = frame.rows()

    def fetchall(self):
        return self.rows


class Connection:
    def __init__(self):
        self.context, self.schemas = polars.SQLContext(), {}

    def run(self, text):
        made = CREATE.match(text)
        if made:
            return self.create(made.group(1), made.group(2))
        inserted = INSERT.match(text)
        if inserted:
            return self.insert(*inserted.groups())
        frame = self.context.execute(text, eager=True)
        return None if DROP.match(text) or text.lstrip()[:6].upper() in ("CREATE", "DELETE") else frame

    def create(self, name, columns):
        if name in self.schemas:
            raise ValueError("table %s exists" % name)
        schema = {}
        for column in columns.split(","):
            words = column.split()
            if len(words) != 2 or words[1].upper() not in KINDS:
                raise ValueError("a column is a name and one of %s, not '%s'" % (", ".join(KINDS), column.strip()))
            schema[words[0]] = KINDS[words[1].upper()]
        self.schemas[name] = schema
        self.context.register(name, polars.DataFrame(schema=schema))

    def insert(self, name, columns, source):
        schema = self.schemas[name]
        names = [c.strip() for c in columns.split(",")] if columns else list(schema)
        query = "SELECT * FROM (%s) AS v" % source if source[:6].upper() == "VALUES" else source
        rows = self.context.execute(query, eager=True)
        if len(rows.columns) != len(names):
            raise ValueError("%d values for %d columns" % (len(rows.columns), len(names)))
        rows = rows.rename(dict(zip(rows.columns, names)))
        # A column of NULL alone has a type of its own.
        cells = [rows[c].cast(kind) if c in names else polars.Series(c, [None] * len(rows), kind)
                 for c, kind in schema.items()]
        old = self.context.execute("SELECT * FROM " + name, eager=True)
        self.context.register(name, polars.concat([old, polars.DataFrame(cells)]))

    def cursor(self):
        return Cursor(self)

    def close(self):
        self.context = None


def connect():
    return Connection()
