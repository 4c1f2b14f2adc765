# Debian packages without installing them: a private apt configuration fetches a package with all that it needs, the C
# library included, and unpacks it into a folder. Nothing of the system is touched; no root is needed.
# Programs are then started through the loader in that folder.

# debian_mirror: the Debian archive that this machine's apt uses; QUALM_DEBIAN_MIRROR where it uses none.
debian_mirror() {
  [ -z "${QUALM_DEBIAN_MIRROR:-}" ] || { echo "$QUALM_DEBIAN_MIRROR" && return 0; }
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    grep -E '/debian/?$' | sort -u | head -n 1
}

# debian_apt FOLDER SUITE: makes the configuration in the folder and fetches the suite's list of packages.
debian_apt() {
  local folder=$1 suite=$2 mirror
  need apt-get "it is part of Debian and its kin"
  need dpkg-deb "it is part of Debian and its kin"
  mirror=$(debian_mirror) || true
  [ -n "$mirror" ] || die "apt knows no Debian archive; set QUALM_DEBIAN_MIRROR to the address of one"
  mkdir -p "$folder"/{lists/partial,archives/partial,parts}
  # Empty: nothing counts as installed, so that everything that is needed is fetched.
  : >"$folder/status"
  echo "deb $mirror $suite main" >"$folder/sources.list"
  cat >"$folder/apt.conf" <<CONF
Dir::State "$folder";
Dir::State::lists "$folder/lists";
Dir::State::status "$folder/status";
Dir::Cache "$folder";
Dir::Cache::archives "$folder/archives";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "$folder/parts";
Dir::Etc::preferencesparts "$folder/parts";
Dir::Log "$folder";
APT::Sandbox::User "$(id -un)";
APT::Install-Recommends "false";
APT::Default-Release "";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "true";
CONF
  APT_CONFIG="$folder/apt.conf" apt-get --quiet update >"$folder/apt.log" 2>&1
}

# debian_version FOLDER PACKAGE: the upstream version of the package in the suite.
debian_version() {
  APT_CONFIG="$1/apt.conf" apt-cache show --no-all-versions "$2" 2>/dev/null |
    sed -n 's/^Version: \([0-9]*:\)\{0,1\}\([0-9.]*\).*/\2/p' | head -n 1
}

# debian_unpack FOLDER ROOT PACKAGE...: the packages and what they need, unpacked into the root.
debian_unpack() {
  local folder=$1 root=$2 archive
  shift 2
  APT_CONFIG="$folder/apt.conf" apt-get --quiet --yes --download-only install "$@" >>"$folder/apt.log" 2>&1 || return 1
  mkdir -p "$root"
  # An older layout has /lib beside /usr/lib: with the links there first, all of it lands in one place.
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
  for archive in bin sbin lib lib64; do [ -e "$root/$archive" ] || ln -s "usr/$archive" "$root/$archive"; done
  for archive in "$folder"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$root" --keep-directory-symlink --no-same-owner || return 1
    rm -f "$archive"
  done
  # Neither is of use to a program that is started from here, and together they are half of the size.
  rm -rf "$root"/usr/share/{doc,man,locale,info,perl} "$root"/usr/lib/*/perl*
}

# debian_release ENGINE VERSION SUITE PROGRAM PACKAGE...: fetches a release whose version is that of the first package.
# A suite moves on: where it has another version, that one is kept under its own number and the one that was asked for
# becomes a link to it.
debian_release() {
  local engine=$1 version=$2 suite=$3 program=$4 came
  shift 4
  work=$(mktemp -d "$cache/$engine/build.XXXXXX")
  if debian_apt "$work/apt" "$suite" && came=$(debian_version "$work/apt" "$1") && [ -n "$came" ] &&
    debian_unpack "$work/apt" "$work/root" "$@" && [ -x "$work/root/$program" ]; then
    [ -e "$cache/$engine/$came" ] || mv "$work/root" "$cache/$engine/$came"
    if [ "$came" != "$version" ]; then
      echo "x: $suite has $engine $came in place of $version" >&2
      ln -sfn "$came" "$cache/$engine/$version"
    fi
    rm -rf "$work"
    work=
    return 0
  fi
  tail -n 8 "$work/apt/apt.log" >&2 || true
  die "cannot get $engine '$version' from Debian's suite '$suite'"
}
