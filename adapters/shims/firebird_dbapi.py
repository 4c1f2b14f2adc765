"""Firebird inside of this process as a module with the DB-API, for adapters/dbapi.py: firebird-driver with the engine of the
package firebird-embedded. A new database is a copy of one that was made before, because making one takes a second."""
import atexit
import ctypes
import os
import shutil
import tempfile

from firebird.embedded.provider import FirebirdProvider

RUNTIME = FirebirdProvider().root
# Libraries of the engine's plugins are looked for in the system only, so they are loaded before. The first is not in the
# package; './x firebird VERSION' puts Debian's beside it.
for name in ["libtommath.so.1", "libtomcrypt.so.1"]:
    if (RUNTIME / name).exists():
        ctypes.CDLL(str(RUNTIME / name), mode=ctypes.RTLD_GLOBAL)
os.environ["FIREBIRD"] = str(RUNTIME)
PLACE = tempfile.mkdtemp(prefix="qualm-firebird-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
atexit.register(shutil.rmtree, PLACE, ignore_errors=True)
# Read when the library is loaded: without it, its lock files are in a folder of all users.
os.environ["FIREBIRD_LOCK"] = PLACE

from firebird import driver  # noqa: E402

driver.driver_config.fb_client_library.value = str(RUNTIME / "libfbclient.so.2")
__version__ = FirebirdProvider().package_version
TEMPLATE = os.path.join(PLACE, "template.fdb")
# Nothing has to survive.
FAST = dict(user="SYSDBA", charset="UTF8")
ROUNDS = iter(range(2**62))


class Connection:
    def __init__(self):
        if not os.path.exists(TEMPLATE):
            made = driver.create_database(TEMPLATE, overwrite=True, **FAST)
            with made.cursor() as cursor:
                cursor.execute("ALTER DATABASE SET DEFAULT CHARACTER SET UTF8")
            made.commit()
            made.close()
        self.file = os.path.join(PLACE, "%d.fdb" % next(ROUNDS))
        shutil.copyfile(TEMPLATE, self.file)
        self.inner = driver.connect(self.file, **FAST)

    def cursor(self):
        return Cursor(self.inner.cursor())

    def commit(self):
        self.inner.commit()

    def rollback(self):
        self.inner.rollback()

    def cancel(self):
        self.inner._att.cancel_operation(driver.CancelType.RAISE)

    def close(self):
        try:
            self.inner.close()
        finally:
            os.remove(self.file)


class Cursor:
    """One that is closed with its rows read: a table that a statement still refers to cannot be dropped."""

    def __init__(self, inner):
        self.inner, self.description, self.rows = inner, None, []

    def execute(self, text):
        with self.inner as cursor:
            cursor.execute(text)
            self.description = cursor.description
            if self.description:
                self.rows = cursor.fetchall()

    def fetchall(self):
        return self.rows


def connect():
    return Connection()
