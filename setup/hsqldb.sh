# shellcheck shell=bash
# HSQLDB for adapters/Jdbc.java: its jar, as Debian packs it. releases/hsqldb.tsv says which release is in which suite. Sourced by x.

fetch_hsqldb_release() {
  jar_release hsqldb "$1" libhsqldb-java 'hsqldb-2*.jar'
}
