#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The clocks of nodes: two on this machine, each with a clock that is a file's number of ns ahead of CLOCK_TAI and is said to be
# set when that number changes, by a library before that of the system. So nobody's clock is set. The latency from node to node is
# that of the plan; what one bridge measures of the other's clock is never further off than it says; a clock that is set is
# noticed, under slip the waveform goes on with the same bits, under skip it is stopped; no waveform that skips is loaded where the
# clocks differ; and a node that follows the manager needs no clock of its own.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
end() {
	for dir in aloe-b aloe; do "$bin/aloe" down --dir "$work/$dir" >/dev/null 2>&1; done
	rm -rf "$work"
}
trap end EXIT

set_clock() { printf '%24s\n' "$2" 1<>"clock-$1"; } # NODE NS: one write, nothing is cut off
# numbers KEY: all numbers of that name in the report, a line each
numbers() { grep -o "\"$1\": [-0-9.e]*" report.json | sed 's/.*: //'; }
report() { aloe status two --json >report.json; }

cat >clock.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int told = -1;

static long long ahead(void)
{
	static const char *file;

	if (!file) {
		const int fd = open(getenv("CLOCK_FILE"), O_RDONLY | O_CLOEXEC);

		file = mmap(NULL, 25, PROT_READ, MAP_SHARED, fd, 0);
		if (file == MAP_FAILED)
			abort();
		close(fd);
	}
	return atoll(file);
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	static int (*real)(clockid_t, struct timespec *);
	long long ns;
	int status;

	real = real ? real : (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	status = real(clock, ret);
	if (clock != CLOCK_TAI || status)
		return status;
	ns = ret->tv_sec * 1000000000ll + ret->tv_nsec + ahead();
	ret->tv_sec = ns / 1000000000;
	ret->tv_nsec = ns % 1000000000;
	return 0;
}

int timerfd_create(int clock, int flags)
{
	static int (*real)(int, int);

	real = real ? real : (int (*)(int, int))dlsym(RTLD_NEXT, "timerfd_create");
	if (clock != CLOCK_REALTIME)
		return real(clock, flags);
	told = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return told;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	static int (*real)(int, int, const struct itimerspec *, struct itimerspec *);

	real = real ? real : (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timerfd_settime");
	if (fd != told)
		return real(fd, flags, new, old);
	if (!(flags & TFD_TIMER_CANCEL_ON_SET)) /* nobody is told */
		return 0;
	return inotify_add_watch(told, getenv("CLOCK_FILE"), IN_MODIFY) < 0 ? -1 : 0;
}

ssize_t read(int fd, void *bytes, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);
	char events[4096];
	ssize_t n;

	real = real ? real : (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	if (fd < 0 || fd != told)
		return real(fd, bytes, size);
	n = real(fd, events, sizeof(events));
	if (n > 0)
		errno = ECANCELED;
	return -1;
}
END
ok "a library with another clock" ${CC:-cc} -shared -fPIC -o clock.so clock.c -ldl
up() { # NODE DIRECTORY STATE
	LD_PRELOAD="$work/clock.so" CLOCK_FILE="$work/clock-$1" "$bin/aloe" up --platform pair.conf --node "$1" --dir "$work/$2" \
		--state "$work/$3"
}
platform() { # MORE_OF_B MORE_OF_THE_LINK
	port=$((port + 4))
	pair "$@" >pair.conf
}
port=$((4000 + $$ % 20 * 64))
two >two.conf
sed 's/ node = "[ab]";//' two.conf >one.conf
sed "s|path = \"two.bin\";|path = \"$work/far.bin\"; node = \"b\";|" two.conf >far.conf
cat >short.conf <<'END'
name = "short";
slot_ns = 20000000;
instances: { source: { component = "null_source"; length = 1; node = "a"; }; sink: { component = "null_sink"; node = "a"; }; };
links = ( "source -> sink" );
END
aloe run one.conf --clock virtual --slots 20 -q --set sink.path=one.bin
aloe run one.conf --clock virtual --slots 20000 -q --set sink.path=many.bin
is_begin_of_many() { head -c "$(stat -c %s two.bin)" many.bin | cmp - two.bin && test -s two.bin; }

set_clock a 0
set_clock b 0
platform "" ""
ok "node a is up" says 0 "the node is up" up a aloe state
ok "node b is up" says 0 "the node is up" up b aloe-b state-b
ok "both have joined" eventually joined

# ---- latency ----

# The sink is on b and measures from the step of the source on a, of which b knows what the frames say. A slot that was left out,
# by the clock or because a message was late, moves the steps of one against those of the other, and is counted: then there is
# another run.
measured() { numbers "measured_slots_$1"; }
left_out() { sed -n '/"slots": {/,/}/p' report.json | awk '/"(skipped|slipped|missed)"/ { n += $2 } END { print n }'; }
latency() {
	for _ in $(seq 20); do
		aloe load far.conf --slots 20 >said && aloe start two >said && eventually state_is two STOP && report || return 1
		aloe unload two >said || return 1
		plan=$(sed -n '/"latency": {/,/}/s/^ *"slots": \([0-9]*\).*/\1/p' report.json | head -n 1)
		echo "plan $plan, measured $(measured min) .. $(measured max), $(left_out) left out"
		test -n "$plan" && test -n "$(left_out)" || return 1
		test "$(left_out)" = 0 || continue
		test "$(measured min)" = "$plan" && test "$(measured max)" = "$plan" && by_times "$plan"
		return
	done
	return 1
}
# By the times, which one node has from the other: the source begins in its slot, and the sink ends in the slot that the plan has
# for it.
by_times() { # SLOTS
	awk -v slots="$1" '/"measured_us"/ { here = 1 }
		here && /"mean"/ { mean = $2 + 0 }
		here && /"max"/ { most = $2 + 0; here = 0 }
		END { print mean, most; exit !(mean > (slots - 2) * 20000 && most <= slots * 20000 + 1000) }' report.json
}
ok "the latency from node to node is the plan's" latency
sed 's/^/  /' log
ok "the bits are those of one lane" same far.bin one.bin

# ---- offsets ----

ok "loaded, without an end" says 0 "two is loaded" aloe load two.conf
ok "it runs" says 0 "two runs" aloe start two
has_others() { report && test "$(numbers ahead_us | wc -l)" = 2; }
# within AHEAD_US_OF_B: what each node says of the other's clock is right as far as it says, and as far as one follows the other
within() {
	report && awk -v b="$1" 'BEGIN { n = 0 } /"ahead_us"/ { ahead[n] = $2 + 0; known = 1 }
		/"within_us"/ && known { known = 0; within[n++] = $2 + 0; next }
		/"error_us"/ || /"within_us"/ { more += $2 < 0 ? -$2 : $2 }
		END { for (i = 0; i < n; i++) {
				off = ahead[i] - (i ? -b : b)
				print ahead[i], within[i], more
				bad = bad || (off < 0 ? -off : off) > within[i] + more
			}
			exit bad || n != 2 }' report.json
}
ok "both clocks have been measured" eventually has_others
ok "neither is further off than is said" within 0
ok "the status says so" says 0 'node "a": the clock of node "b" is' aloe status two

# ---- set, under slip ----

steps_are() { report && numbers clock_steps | sort -n | tail -n 1 | grep -qx "$1"; }
index() { aloe status two --json | sed -n 's/^ *"index": \([0-9]*\).*/\1/p' | head -n 1; }
goes_on() {
	from=$(index)
	eventually sh -c "test \"\$('$bin/aloe' status two --json | sed -n 's/^ *\"index\": \\([0-9]*\\).*/\\1/p' | head -n 1)\" -gt $((from + 5))"
}
turn=0
for ns in 37000000000 7000000 -3600000000000; do
	turn=$((turn + 1))
	set_clock b $ns
	ok "it is noticed that the clock of b was set to $ns" eventually steps_are $turn
	ok "the waveform goes on ($ns)" goes_on
	ok "a measures it ($ns)" eventually within $((ns / 1000))
done
exec_of_b() { ps -eo pid=,args= | awk -v dir="$work/aloe-b" '$2 == "aloe-exec" && $4 == dir { print $1 }'; }
ok "the exec of b is killed, and its clock is set while there is none" sh -c "kill -9 $(exec_of_b); printf '%24s\n' 5000000000 1<>clock-b"
ok "the next one notices" eventually steps_are 4
ok "the waveform goes on with that one" goes_on
set_clock b -3600000000000
ok "and is watched as before" eventually steps_are 5
ok "the status says how often" says 0 'node "b": the clock was set 5 times' aloe status two
ok "stop" says 0 "two is stopped" aloe stop two
ok "no index is lost, none is twice" is_begin_of_many
ok "unload" says 0 "two is unloaded" aloe unload two

# ---- under skip ----

ok "no load under skip, an hour off" says 2 'us behind, +- ' aloe load two.conf --late skip
grep -q 'with the overrun policy skip the clocks of the nodes must agree to 5000.0 us (a quarter of a slot)' said
ok "it says to what the clocks must agree" test $? = 0
set_clock b 0
skip_is_loaded() { aloe load two.conf --late skip; }
ok "loaded under skip, when the clocks agree" eventually skip_is_loaded
ok "it runs under skip" says 0 "two runs" aloe start two
set_clock b 1000000000
ok "it is stopped" eventually state_is two ABNSTOP
ok "and says why" says 0 'node "b": the clock of node "b" was set by +1.000000 s, and with the overrun policy skip' aloe status two
ok "it is unloaded" says 0 "two is unloaded" aloe unload two --force
ok "slots that are too short for their numbers" says 2 "are too short for a node of a platform" \
	aloe load short.conf --slot-us 5 --force
aloe down --dir "$work/aloe-b" >/dev/null
aloe down --dir "$work/aloe" >/dev/null

# ---- a node that follows, over UDP ----

set_clock b 5000000000
platform 'clock = "network"; ' 'transport = "udp"; '
ok "a is up, to be followed" says 0 "the node is up" up a aloe state
ok "b is up, five seconds ahead by itself" says 0 "the node is up" up b aloe-b state-b
ok "both have joined again" eventually joined
ok "loaded under skip on a clock that follows" eventually skip_is_loaded
ok "b follows a" says 0 'node "b" follows the clock of node "a": error' aloe status two
ok "they agree, as far as is said" eventually within 0
ok "unload that" says 0 "two is unloaded" aloe unload two
ok "loaded on a clock that follows" says 0 "two is loaded" aloe load two.conf --slots 20
ok "it runs there" says 0 "two runs" aloe start two
set_clock b -5000000000
ok "it comes to its end" eventually state_is two STOP
ok "its bits are those of one lane" same two.bin one.bin
ok "what its own clock was set to is nothing to it" steps_are 0
set_clock a 2000000000
ok "where a is set, b follows" eventually within 0
ok "it is counted there" eventually steps_are 1
ok "the last unload" says 0 "two is unloaded" aloe unload two

exit $failed
