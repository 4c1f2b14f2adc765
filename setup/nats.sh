# shellcheck shell=bash
# The server through which a fleet works together, from Debian's package. It is no engine: tests/fleet.rs starts it.
test_steps+=("nats 2.10.27")

fetch_nats_release() {
  debian_release nats "$1" trixie usr/sbin/nats-server nats-server
}
