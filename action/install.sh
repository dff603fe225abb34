#!/usr/bin/env bash
# Installs a release of drawbridge for the steps that follow. The archive must
# have the checksum that the release, or the caller, says. Where a version has
# no archive for the runner, Go builds it, and holds it against its own
# database of checksums.
set -euo pipefail

version=${DRAWBRIDGE_VERSION:?}
pinned=${DRAWBRIDGE_CHECKSUM:-}
downloads=${DRAWBRIDGE_DOWNLOADS:?}

fail() {
  echo "::error title=drawbridge::$1"
  exit 1
}

# What follows becomes part of names and addresses.
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail 'the input version is no tag of a release; write one such as v0.1.0'
[[ -z $pinned || $pinned =~ ^[0-9a-f]{64}$ ]] || fail 'the input checksum is no SHA-256; it has 64 digits, 0 to 9 and a to f'

case "${RUNNER_OS:-$(uname -s)}" in
Linux) os=linux ;;
macOS | Darwin) os=darwin ;;
Windows | MINGW* | MSYS*) os=windows ;;
*) fail 'there is no release for this operating system' ;;
esac
case "${RUNNER_ARCH:-$(uname -m)}" in
X64 | x86_64 | amd64) arch=amd64 ;;
ARM64 | aarch64 | arm64) arch=arm64 ;;
*) fail 'there is no release for this architecture' ;;
esac
end=tar.gz
[[ $os != windows ]] || end=zip
archive=drawbridge_${version#v}_${os}_$arch.$end

folder=${RUNNER_TEMP:?}/drawbridge-$version
rm -rf "$folder"
mkdir -p "$folder/bin"

fetch() {
  curl --fail --silent --show-error --location --retry 3 --proto '=https,file' --proto-redir '=https' --output "$folder/$1" "$downloads/$version/$1"
}

sum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -c 1-64
}

if fetch "$archive"; then
  expected=$pinned
  if [[ -z $expected ]]; then
    fetch checksums.txt || fail "checksums.txt of $version cannot be read, so $archive cannot be trusted"
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$folder/checksums.txt")
  fi
  [[ -n $expected ]] || fail "checksums.txt of $version does not name $archive"
  [[ $(sum "$folder/$archive") == "$expected" ]] || fail "$archive does not have the checksum that it should have; nothing of it is used"
  if [[ $end == zip ]]; then
    unzip -q "$folder/$archive" -d "$folder/bin"
  else
    tar -xzf "$folder/$archive" -C "$folder/bin"
  fi
elif [[ -z $pinned ]] && command -v go >/dev/null; then
  echo "There is no $archive; Go builds $version instead."
  GOBIN=$folder/bin GOFLAGS='' go install "github.com/drawbridge-dra/drawbridge/cmd/drawbridge@$version"
else
  fail "$archive cannot be downloaded"
fi

echo "$folder/bin" >>"${GITHUB_PATH:?}"
"$folder/bin/drawbridge" version
