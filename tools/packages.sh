# What the two commands need from Debian. Sourced: install_packages NAME... installs what is missing.
BUILD_PACKAGES="cmake ninja-build gcc g++ pkg-config libsystemc-dev libelf-dev libdw-dev libyaml-dev libjansson-dev libmd-dev libfdt-dev libgsl-dev
  gcc-aarch64-linux-gnu gnuplot-nox libjs-chart.js"
TEST_PACKAGES="clang check libsubunit-dev libunicorn-dev gcc-12-source picolibc-aarch64-linux-gnu csmith libcsmith-dev qemu-system-arm xz-utils python3
  slurm-wlm munge groff-base chromium"

install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local sudo=
  if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
      echo "these packages are missing and cannot be installed without root or sudo: ${missing[*]}" >&2
      echo "install them with: apt-get install ${missing[*]}" >&2
      return 1
    fi
  fi
  echo "installing ${missing[*]}" >&2
  $sudo apt-get update -qq >/dev/null 2>&1 || true
  local log
  log=$(mktemp)
  if ! DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    tail -5 "$log" >&2
    echo "apt-get could not install: ${missing[*]}" >&2
    return 1
  fi
}

# Configure and build a preset quietly; a failure shows what failed.
build_preset() {
  local log
  log=$(mktemp)
  cmake --preset "$1" "${@:2}" >"$log" 2>&1 || { tail -30 "$log" >&2; echo "configuration failed" >&2; return 1; }
  cmake --build --preset "$1" >"$log" 2>&1 || { grep -E -A5 'error|FAILED' "$log" | head -60 >&2; echo "build failed" >&2; return 1; }
}
