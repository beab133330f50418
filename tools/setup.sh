# Sourced by ./demo, ./test, .ci/run and the scripts beside it: installs packages, configures and builds a preset.

# need_packages FILE: installs the Debian packages listed in FILE that are missing; without root or sudo, prints their
# names and exits.
need_packages() {
  local missing=() package installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' || true)
  for package in $(grep -v '^#' "$1"); do
    grep -qx "installed $package" <<< "$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local become=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      become=(sudo)
    else
      echo "These Debian packages are missing: ${missing[*]}" >&2
      echo "Install them with: sudo apt-get install ${missing[*]}" >&2
      exit 1
    fi
  fi
  echo "Installing ${missing[*]}" >&2
  "${become[@]}" apt-get update -qq
  "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# configure PRESET [OPTION...]: configures a preset unless that was done before.
configure() {
  local preset=$1; shift
  [ -f "build/$preset/build.ninja" ] && return
  cmake --preset "$preset" "$@" > "build-$preset.tmp" ||
    { cat "build-$preset.tmp" >&2; rm -f "build-$preset.tmp"; exit 1; }
  rm -f "build-$preset.tmp"
}

# build PRESET [TARGET...]: configures the preset if needed, then builds what changed.
build() {
  local preset=$1; shift
  configure "$preset"
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
