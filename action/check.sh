#!/usr/bin/env bash
# Checks manifests: annotations on their lines, a summary for the run, and, if
# it is wanted, a SARIF file. It ends as drawbridge validate does.
set -euo pipefail

sarif=${DRAWBRIDGE_SARIF_FILE:-}
if [[ $sarif == *$'\n'* ]]; then
  echo '::error title=drawbridge::the input sarif-file holds a line break; name one file'
  exit 2
fi

args=()
flag() { [[ -z $2 ]] || args+=("$1=$2"); }
flag --kubernetes-version "${DRAWBRIDGE_KUBERNETES_VERSIONS:-}"
flag --feature-gates "${DRAWBRIDGE_FEATURE_GATES:-}"
flag --fail-on "${DRAWBRIDGE_FAIL_ON:-}"
flag --config "${DRAWBRIDGE_CONFIG:-}"
args+=(--) # what follows is no flag, whatever it begins with
while IFS= read -r path; do
  path=${path%$'\r'}
  [[ -z $path ]] || args+=("$path")
done <<<"${DRAWBRIDGE_PATHS:-}"

code=0
drawbridge validate -o github "${args[@]}" </dev/null || code=$?
echo "exit-code=$code" >>"${GITHUB_OUTPUT:?}"
((code <= 1)) || exit "$code"

if [[ -n $sarif ]]; then
  mkdir -p -- "$(dirname -- "$sarif")"
  drawbridge validate -o sarif "${args[@]}" </dev/null >"$sarif" || (($? == 1))
  echo "sarif-file=$sarif" >>"$GITHUB_OUTPUT"
fi

# A summary holds a MiB. No line of the answer can end the block: each begins
# with what drawbridge, and not somebody else, has written.
{
  echo '## Drawbridge'
  echo
  echo '~~~~text'
  { drawbridge validate --color=never "${args[@]}" </dev/null || (($? == 1)); } | head -c 900000
  echo
  echo '~~~~'
} >>"${GITHUB_STEP_SUMMARY:?}"

exit "$code"
