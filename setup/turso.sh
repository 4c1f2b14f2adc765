# shellcheck shell=bash
# Turso for adapters/dbapi.py: its Python package. releases/turso.tsv says which releases there are. Sourced by x.

test_steps+=("turso 0.8.3")
fetch_turso_release() {
  pip_release turso "$1"
}
