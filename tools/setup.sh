# Sourced by ./demo and ./test: installs what is missing, configures and builds a preset.

# need_packages FILE: installs the Debian packages listed in FILE that are missing; without root or sudo, names them
# and stops.
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

# build PRESET [TARGET...]: configures on the first call, then builds what changed.
build() {
  local preset=$1; shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" > "build-$preset.tmp" ||
    { cat "build-$preset.tmp" >&2; rm -f "build-$preset.tmp"; exit 1; }
  rm -f "build-$preset.tmp"
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
