# SPDX-License-Identifier: BSD-3-Clause
#
# tests/common/thefts.sh - for scripts to source that disturb a lane as root.

# thefts CPU N BUSY PAUSE: a thread above a lane's has the CPU N times for BUSY seconds, PAUSE seconds apart.
thefts() {
	taskset -c "$1" chrt -f 80 python3 -c "
import time
for n in range($2):
    until = time.monotonic() + $3
    while time.monotonic() < until:
        pass
    time.sleep($4)"
}
