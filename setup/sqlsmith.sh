# SQLsmith (a fuzzer for PostgreSQL) from Debian's packages: tests/data/sqlsmith was made with it. No test needs it.
fetch_sqlsmith_release() {
  debian_release sqlsmith "$1" bookworm usr/bin/sqlsmith sqlsmith
}
