"""DataFusion as a module with the DB-API, for adapters/dbapi.py: as much of it as an adapter needs."""
import _thread

import datafusion
import pyarrow

__version__ = datafusion.__version__

# Their answer is a count, or a text about it, and not rows of a query.
CHANGES = {"INSERT", "CREATE", "DROP", "SET", "UPDATE", "DELETE"}


class Interrupted(Exception):
    pass


class Cursor:
    def __init__(self, context):
        self.context, self.description, self.rows = context, None, []

    def execute(self, text):
        try:
            frame = self.context.sql(text)
            batches = frame.collect()
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None
        if text.split(None, 1)[0].upper() in CHANGES:
            return
        # Those of the batches may differ from what was planned, in what may be NULL.
        schema = batches[0].schema if batches else frame.schema()
        self.description = [(field.name,) for field in schema]
        columns = [column.to_pylist() for column in pyarrow.Table.from_batches(batches, schema).columns]
        self.rows = list(zip(*columns))

    def fetchall(self):
        return self.rows


class Connection:
    def __init__(self, settings):
        config = datafusion.SessionConfig({"datafusion." + key: str(value) for key, value in settings.items()})
        self.context = datafusion.SessionContext(config)

    def cursor(self):
        return Cursor(self.context)

    def interrupt(self):
        # The module looks for Ctrl-C while it waits for a query.
        _thread.interrupt_main()

    def close(self):
        self.context = None


def connect(**settings):
    """Settings are those below `datafusion.`, for instance `{"execution.target_partitions": 2}`."""
    return Connection(settings)
