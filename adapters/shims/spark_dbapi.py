"""Spark SQL as a module with the DB-API, for adapters/dbapi.py: a session in a Java of its own, which `./x spark VERSION`
fetched beside the package. Nothing listens but on this machine, and Java ends with this process."""
import atexit
import glob
import logging
import os
import shutil
import struct
import subprocess
import tempfile
import time

import py4j.protocol
import pyspark
from pyspark.sql import SparkSession

__version__ = pyspark.__version__
# It writes each error with the whole of Java's stack, and errors are answers here.
logging.disable(logging.CRITICAL)

HOME = os.path.dirname(os.path.abspath(pyspark.__file__))
# What Spark's own scripts open to it. The module of vectors is not in every Java, and Spark runs without it.
OPENED = ["java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
          "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
          "sun.security.action", "sun.util.calendar"]
# One thread and little data: what Spark does for a cluster only costs time here. Small tables are broadcast, and others are not.
SETTINGS = {
    "spark.master": "local[1]", "spark.app.name": "qualm", "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1", "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2", "spark.sql.ui.retainedExecutions": "1", "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1", "spark.sql.session.timeZone": "UTC", "spark.sql.crossJoin.enabled": "true",
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false", "spark.sql.parquet.compression.codec": "none",
    "spark.shuffle.compress": "false", "spark.log.level": "OFF", "spark.sql.autoBroadcastJoinThreshold": "10000",
}
ROUNDS = iter(range(2**62))


def java():
    """The one that JAVA_HOME names, else the newest that './x java VERSION' fetched, else the one on PATH."""
    cache = os.environ.get("QUALM_CACHE") or os.path.expanduser("~/.cache/qualm")
    fetched = sorted(glob.glob(os.path.join(cache, "java", "*", "bin", "java")))
    named = os.environ.get("JAVA_HOME")
    return os.path.join(named, "bin", "java") if named else fetched[-1] if fetched else "java"


def start():
    """Java with Spark's gateway for Python, and a session that talks to it."""
    place = tempfile.mkdtemp(prefix="qualm-spark-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    said = os.path.join(place, "gateway")
    # VFORK: Spark's files are given their modes by a program, and not every Java has the helper that starts one otherwise.
    command = [java(), "-Xmx1g", "-Djdk.lang.Process.launchMechanism=VFORK", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
               "-Djava.io.tmpdir=" + place]
    command += ["--add-opens=java.base/%s=ALL-UNNAMED" % package for package in OPENED]
    command += ["-cp", os.path.join(HOME, "jars", "*"), "org.apache.spark.api.python.PythonGatewayServer"]
    environment = dict(os.environ, _PYSPARK_DRIVER_CONN_INFO_PATH=said, SPARK_LOCAL_IP="127.0.0.1")
    # The gateway ends when its input does, which is when this process ends.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment, start_new_session=True)
    while not os.path.exists(said):
        if process.poll() is not None:
            said = " ".join(command)
            raise RuntimeError("Java did not start Spark's gateway (exit code %d): %s" % (process.returncode, said))
        time.sleep(0.05)
    with open(said, "rb") as file:
        port, length = struct.unpack(">ii", file.read(8))
        secret = file.read(length).decode()
    os.environ.update(PYSPARK_GATEWAY_PORT=str(port), PYSPARK_GATEWAY_SECRET=secret)
    builder = SparkSession.builder
    ours = {"spark.sql.warehouse.dir": os.path.join(place, "warehouse"), "spark.local.dir": place}
    for key, value in {**SETTINGS, **ours}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


# Here and not for the first database: Java takes seconds to start, and more until the first statements have been run.
SESSION = start()


class Connection:
    """A database of its own in a session of its own, so that settings of the one before are gone."""

    def __init__(self, settings):
        self.session = SESSION.newSession()
        for key, value in settings.items():
            self.session.conf.set(key, value)
        self.database = "q%d" % next(ROUNDS)
        self.session.sql("CREATE DATABASE " + self.database)
        self.session.sql("USE " + self.database)

    def cursor(self):
        return Cursor(self.session)

    def interrupt(self):
        self.session.sparkContext.cancelAllJobs()

    def close(self):
        self.session.catalog.clearCache()
        SESSION.sql("DROP DATABASE %s CASCADE" % self.database)


class Cursor:
    def __init__(self, session):
        self.session, self.description, self.rows = session, None, []

    def execute(self, text):
        try:
            frame = self.session.sql(text)
            names = frame.columns
            self.rows = [tuple(row) for row in frame.collect()] if names else []
        except (py4j.protocol.Py4JNetworkError, ConnectionError):
            # Java is gone, and with it the database.
            os._exit(70)
        except py4j.protocol.Py4JJavaError as error:
            # Not one of Spark's own errors: the Java exception with the first line of its text.
            raise RuntimeError(str(error.java_exception.toString()).split("\n", 1)[0]) from None
        self.description = [(name,) for name in names] or None

    def fetchall(self):
        return self.rows


def connect(**settings):
    """Settings are Spark's, with underscores for dots: `spark_sql_ansi_enabled=false`."""
    return Connection({key.replace("_", "."): str(value) for key, value in settings.items()})


def warm_up():
    connection = connect()
    for text in ["CREATE TABLE t (a BIGINT)", "INSERT INTO t VALUES (1), (2)",
                 "SELECT x.a FROM t AS x JOIN t AS y ON x.a = y.a ORDER BY 1"]:
        connection.cursor().execute(text)
    connection.close()


warm_up()
