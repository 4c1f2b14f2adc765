# shellcheck shell=bash
# Turso for adapters/dbapi.py: its Python package. releases/turso.tsv says which releases there are. Sourced by x.

fetch_turso_release() {
  pip_release turso "$1"
}
