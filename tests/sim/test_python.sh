#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tools/python by pytest, with Debian's python3, python3-numpy and python3-pytest (tests/deps.sh).
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bin=$(cd "$B/bin" && pwd) || exit 2
python=/usr/bin/python3
[ -x $python ] || python=python3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
ALOE=$bin/aloe PYTHONPATH=tools/python PYTHONDONTWRITEBYTECODE=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 TMPDIR=$work \
	XDG_STATE_HOME=$work/state ALOE_LOG=error $python -m pytest -p no:cacheprovider -rA --color=no tests/python >"$work/out" 2>&1
status=$?
sed -n 's/^PASSED tests\/python\//ok /p; s/^\(FAILED\|ERROR\) tests\/python\//not ok /p' "$work/out"
[ $status = 0 ] && grep -q '^PASSED' "$work/out" && exit 0
cat "$work/out"
exit 1
