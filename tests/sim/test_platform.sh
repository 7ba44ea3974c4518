#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Nodes of a platform, two on this machine: up, joined, and who is refused; a waveform whose instances are on both, loaded,
# started, paused, stopped and unloaded from either; its bits are those of one lane, also while bridges, frontends, an exec and
# the manager are killed; a node that is missing is named; with keys and without.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
end() {
	for dir in other wrong; do "$bin/aloe" down --dir "$work/$dir" >/dev/null 2>&1; done
	for p in "$work"/pair.conf "$work"/udp.conf "$work"/six.conf "$work"/mixed.conf "$work"/slow.conf "$work"/safe.conf; do
		[ -f "$p" ] && "$bin/aloe" down --platform "$p" >/dev/null 2>&1
	done
	"$bin/aloe" down >/dev/null 2>&1
	rm -rf "$work"
}
trap end EXIT

missing() { aloe list nodes | grep -q "^$1 .* missing"; }
network() { # DIRECTORY: how many network sockets the processes of its node have
	sockets "$1" >inodes
	cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null | awk '{ print $10 }' | sort -u |
		comm -12 - inodes | grep -c '[1-9]'
}

port=$((10000 + $$ % 1250 * 8))
pair >pair.conf
two >two.conf
sed 's/ node = "[ab]";//' two.conf >one.conf
aloe run one.conf --clock virtual --slots 200 -q --set sink.path=one.bin
aloe run one.conf --clock virtual --slots 20000 -q --set sink.path=many.bin

# ---- one node, then two ----

ok "a node without a platform is up" says 0 "the node is up" aloe up
ok "it opens no network socket" test "$(network "$work/aloe")" = 0
ok "it is alone" says 0 "this node is alone" aloe list nodes
ok "it has no bridge" test -z "$(pid_of bridge "$work/aloe")"
ok "down" says 0 "the node is down" aloe down
ok "all nodes of this machine are up" says 0 "the node is up: $work/aloe-b" aloe up --platform pair.conf
ok "they have network sockets" test "$(network "$work/aloe")" != 0
ok "both have joined" eventually joined
ok "any node's client says so" joined --dir "$work/aloe-b"
ok "swman is on the manager only" test -n "$(pid_of swman "$work/aloe")" -a -z "$(pid_of swman "$work/aloe-b")"
ok "no other node" says 2 'no node "x", there are a, b' aloe list --node x
ok "nor by way of the other" says 2 'no node "x", there are a, b' aloe list --node x --dir "$work/aloe-b"
ok "no such node to start" says 2 'no node "x", there are a, b' aloe up --platform pair.conf --node x --dir "$work/other"

# ---- a waveform on both ----

ok "load" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 200
ok "it is on both nodes" says 0 "0,0" aloe list
ok "start" says 0 "two runs" aloe start two
ok "it comes to its end" eventually state_is two STOP
ok "its bits are those of one lane" same two.bin one.bin
ok "the report has each instance as its own node has it" sh -c "'$bin/aloe' status two --json | tr -d ' \n' |
	grep -o '\"calls\":[0-9]*' | sort | uniq -c | grep -q '4 \"calls\":200'"
ok "a variable on this node" says 0 "sink.messages 200" aloe get two sink.messages
ok "one on the other node is asked there" says 2 'has no variable or parameter "gain"' aloe get two mod.gain
ok "not if this node is named" says 2 'instance "mod" is on node "b"; name it with --node b' aloe get two mod.gain --node a
ok "nor is one of another node set here" says 2 'instance "mod" is on node "b"' aloe set two mod.gain=1 --node a
ok "there is asked" says 2 'has no variable or parameter "gain"' aloe get two mod.gain --node b
ok "unload from the other node" says 0 "two is unloaded" aloe unload two --dir "$work/aloe-b"
ok "the run was kept" sh -c "ls '$XDG_STATE_HOME'/aloe/runs/two-*/report.json"
rm -f two.bin
ok "load from the other node: the path is there" says 0 "two is loaded" aloe load two.conf --slots 200 --dir "$work/aloe-b"
ok "start, on a clock" says 0 "two runs" aloe start two --dir "$work/aloe-b"
ok "a shared node says that nothing is promised" says 0 "this node is shared" aloe status two
ok "pause, at one slot for both" says 0 "two pauses" aloe pause two
ok "it goes on" says 0 "two runs, from slot" aloe start two
slot=$(sed -n 's/.*from slot //p' said)
ok "it comes to its end there" eventually state_is two STOP
ok "its bits are those of one lane there" same two.bin one.bin
ok "unload" says 0 "two is unloaded" aloe unload two
ok "load, for a slot to come" says 0 "two is loaded" aloe load two.conf --slots 20
ok "a slot that was" says 1 "is too late" aloe start two --at "$slot"
ok "one that is far ahead" says 0 "two runs, from slot $((slot + 100000))" aloe start two --at $((slot + 100000))
ok "what has not begun may begin at another slot" says 0 "two runs" aloe start two
ok "and does" eventually state_is two STOP
ok "unload that" says 0 "two is unloaded" aloe unload two
ok "load, without an end" says 0 "two is loaded" aloe load two.conf --clock virtual
ok "no pause without a clock" says 2 "is on 2 nodes and has no clock" sh -c "'$bin/aloe' start two && exec '$bin/aloe' pause two"
ok "no step" says 2 "steps are for a waveform on one node" aloe step two
ok "no remap" says 2 "cannot be moved" aloe remap two
ok "stop" says 0 "two is stopped" aloe stop two
ok "what was on its way has arrived" sh -c "n=\$(stat -c %s two.bin) && test \$n -gt 0 &&
	head -c \$n many.bin >cut.bin && head -c \$(stat -c %s cut.bin) two.bin | cmp - cut.bin"
ok "unload it" says 0 "two is unloaded" aloe unload two

# ---- kills ----

ok "load, to be disturbed" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 20000
ok "start it" says 0 "two runs" aloe start two
for turn in 1 2 3; do
	ok "kill $turn of the bridge of a" killed bridge "$work/aloe"
	ok "kill $turn of the bridge of b" killed bridge "$work/aloe-b"
done
ok "kill the frontend of b" killed frontend "$work/aloe-b"
ok "kill the frontend of a" killed frontend "$work/aloe"
ok "kill the exec of b" killed exec "$work/aloe-b"
ok "kill the manager" killed swman "$work/aloe"
ok "both have joined again" eventually joined
ok "it comes to its end in spite of all" eventually state_is two STOP
ok "its bits are those of one lane in spite of all" same two.bin many.bin
ok "the manager knows it" says 0 "two: ended, index 20000" aloe status two
ok "unload what was disturbed" says 0 "two is unloaded" aloe unload two

# ---- a part that fails, a node that is lost ----

ok "load, to fail" says 0 "two is loaded" aloe load two.conf --clock virtual
ok "start what is to fail" says 0 "two runs" aloe start two
hosts() { ps -eo pid=,ppid=,args= | awk -v exec="$(pid_of exec "$1")" '$2 == exec && $3 == "aloe-host" { print $1 }'; }
ok "kill the host of b" kill -9 $(hosts "$work/aloe-b")
ok "the part of a is stopped, too" eventually sh -c "test -z '$(hosts "$work/aloe")' || '$bin/aloe' list | grep -q 'two .*ABNSTOP'"
ok "the report names the node" eventually says 0 'node "b": the host of' aloe status two
ok "unload what has failed" says 0 "two is unloaded" aloe unload two
ok "load, to lose a node" says 0 "two is loaded" aloe load two.conf --clock virtual
ok "start that" says 0 "two runs" aloe start two
ok "node b is lost" says 0 "the node is down" aloe down --dir "$work/aloe-b"
ok "it is missing" eventually missing b
ok "what is left waits for it" says 0 "two: RUN" aloe status two
ok "and says for whom" says 0 'node "b" is not there' aloe status two
ok "no unload without it" says 1 'node "b" is not there' aloe unload two
ok "but by force" says 0 "two is unloaded" aloe unload two --force
ok "then nothing is loaded" says 0 "no waveform is loaded" aloe list
ok "node b is up again" says 0 "the node is up" aloe up --platform pair.conf
ok "it has joined again" eventually joined

# ---- who is missing, and who is refused ----

cp pair.conf changed.conf
echo "# another text" >>changed.conf
ok "no second node of that name: its port is taken" says 1 "another program has port $((port + 3)) of its address" aloe up --platform pair.conf --node b --dir "$work/other" --state "$work/st1"
ok "nothing of it was started" test ! -e "$work/st1/node.log"
ok "b goes down" says 0 "the node is down" aloe down --dir "$work/aloe-b"
ok "it is missed" eventually missing b
ok "nothing is loaded without it" says 1 'node "b"' aloe load two.conf --clock virtual
ok "on no node" says 0 "no waveform is loaded" aloe list
ok "b with another platform file" says 0 "the node is up" aloe up --platform changed.conf --node b --dir "$work/wrong" --state "$work/st2"
ok "is refused, and told why" eventually says 1 "was given another platform file" aloe list nodes --dir "$work/wrong"
ok "down with that, too" says 0 "the node is down" aloe down --dir "$work/wrong"
ok "b is back" says 0 "the node is up" aloe up --platform pair.conf
ok "and has joined" eventually joined
ok "down, all of them" says 0 "the node is down: $work/aloe" aloe down --platform pair.conf
ok "nothing is left" test -z "$(ps -eo args= | grep "aloe-[a-z]* --dir $work")"

# ---- over UDP, sealed, with losses ----

# A library before that of the system: of the sends over UDP one in twenty does nothing and says that it did, and one in ten is
# done twice.
cat >loss.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
	static unsigned long long state = 88172645463325252ull;
	static int (*real)(int, struct mmsghdr *, unsigned, int);
	int sent = 0;

	real = real ? real : (int (*)(int, struct mmsghdr *, unsigned, int))dlsym(RTLD_NEXT, "sendmmsg");
	for (unsigned i = 0; i < n; i++, sent++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (state % 20 == 0) {
			const int log = open(getenv("LOSS_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);

			if (log < 0 || write(log, "x", 1) != 1)
				abort();
			close(log);
			continue;
		}
		if (real(fd, messages + i, 1, flags) != 1)
			break;
		if (state % 10 == 1)
			real(fd, messages + i, 1, flags);
	}
	return sent ? sent : -1;
}
END
sed 's/delay = 2;/delay = 2; transport = "udp";/' pair.conf >udp.conf
ok "a library that loses" ${CC:-cc} -shared -fPIC -o loss.so loss.c -ldl
ok "up, over UDP" says 0 "the node is up" env LD_PRELOAD="$work/loss.so" LOSS_LOG="$work/lost" "$bin/aloe" up --platform udp.conf
ok "both have joined over UDP" eventually joined
ok "load over UDP" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 2000
ok "start over UDP" says 0 "two runs" aloe start two
ok "kill the bridge of a over UDP" killed bridge "$work/aloe"
ok "kill the bridge of b over UDP" killed bridge "$work/aloe-b"
ok "the end over UDP" eventually state_is two STOP
aloe run one.conf --clock virtual --slots 2000 -q --set sink.path=more.bin
ok "the bits over UDP" same two.bin more.bin
ok "of what was sent some was lost" test -s lost
ok "unload over UDP" says 0 "two is unloaded" aloe unload two
ok "load over UDP, on a clock" says 0 "two is loaded" aloe load two.conf --slots 200
ok "start that over UDP" says 0 "two runs" aloe start two
ok "the end of that over UDP" eventually state_is two STOP
ok "the bits of that over UDP" same two.bin one.bin
ok "down with UDP" says 0 "the node is down" aloe down --platform udp.conf

# ---- IPv6 ----

transports='tcp udp'
grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 || { echo "this machine has no ::1"; transports=; }
for transport in $transports; do
	sed -e "s/127.0.0.1:/[::1]:/; s/delay = 2;/delay = 2; transport = \"$transport\";/" pair.conf >six.conf
	ok "up, IPv6 and $transport" says 0 "the node is up: $work/aloe-b" aloe up --platform six.conf
	ok "both have joined, IPv6 and $transport" eventually joined
	ok "load, IPv6 and $transport" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 200
	ok "start, IPv6 and $transport" says 0 "two runs" aloe start two
	ok "the end, IPv6 and $transport" eventually state_is two STOP
	ok "the bits, IPv6 and $transport" same two.bin one.bin
	ok "down, IPv6 and $transport" says 0 "the node is down" aloe down --platform six.conf
	rm -f two.bin
done
sed '/a: {/s/127.0.0.1/[::1]/' udp.conf >mixed.conf
ok "over UDP the addresses are of one kind" says 1 'need addresses of one kind, IPv4 or IPv6' aloe up --platform mixed.conf

# ---- over UDP, slowly ----

# A library before that of the system: what is sent over UDP leaves 50 ms later, by a thread.
cat >slow.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

struct late {
	struct late *next;
	struct timespec due;
	int fd;
	struct sockaddr_storage to;
	socklen_t to_len;
	size_t len;
	char bytes[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct late *first, **last = &first;

static void *leave(void *nothing)
{
	for (;;) {
		struct late *one;

		pthread_mutex_lock(&lock);
		while (!first)
			pthread_cond_wait(&more, &lock);
		one = first;
		first = one->next;
		last = first ? last : &first;
		pthread_mutex_unlock(&lock);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &one->due, NULL);
		sendto(one->fd, one->bytes, one->len, 0, (struct sockaddr *)&one->to, one->to_len);
		free(one);
	}
	return nothing;
}

static void keep(int fd, const struct msghdr *message, const struct iovec *part)
{
	struct late *one = calloc(1, sizeof(*one) + part->iov_len);

	if (!one)
		abort();
	memcpy(one->bytes, part->iov_base, one->len = part->iov_len);
	memcpy(&one->to, message->msg_name, one->to_len = message->msg_namelen);
	one->fd = fd;
	clock_gettime(CLOCK_MONOTONIC, &one->due);
	one->due.tv_nsec += 50000000;
	one->due.tv_sec += one->due.tv_nsec / 1000000000;
	one->due.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	*last = one;
	last = &one->next;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
	static pthread_t thread;

	if (!thread && pthread_create(&thread, NULL, leave, NULL) != 0)
		abort();
	for (unsigned i = 0; i < n; i++)
		for (size_t p = 0; p < messages[i].msg_hdr.msg_iovlen; p++)
			keep(fd, &messages[i].msg_hdr, &messages[i].msg_hdr.msg_iov[p]);
	return (int)n;
}
END
sed 's/delay = 2;/transport = "udp";/' pair.conf >slow.conf
ok "a library that waits" ${CC:-cc} -shared -fPIC -pthread -o slow.so slow.c
loaded() { # WORDS: LOAD says so
	aloe unload two >/dev/null 2>&1
	says 0 "$1" aloe load two.conf --slots 100
}
ok "up, slowly" says 0 "the node is up" env LD_PRELOAD="$work/slow.so" "$bin/aloe" up --platform slow.conf
ok "both have joined, slowly" eventually joined
ok "LOAD plans with the delay that was measured, and says so" eventually loaded \
	'the link of node "a" and node "b" is planned with a delay of '
slots=$(sed -n 's/.*a delay of \([0-9]*\) slots instead of 2.*/\1/p' said)
ok "50 ms need 4 slots of 20 ms, or more" test "${slots:-0}" -ge 4
ok "start that, slowly" says 0 "two runs" aloe start two
ok "it ends, slowly" eventually state_is two STOP
head -c $(($(stat -c %s one.bin) / 2)) one.bin >some.bin # 100 of 200 slots
ok "the bits of that, slowly" same two.bin some.bin
ok "unload that, slowly" says 0 "two is unloaded" aloe unload two
ok "down, slowly" says 0 "the node is down" aloe down --platform slow.conf
sed -i 's/transport/delay = 3; transport/' slow.conf
ok "up, with a delay that is given" says 0 "the node is up" env LD_PRELOAD="$work/slow.so" "$bin/aloe" up --platform slow.conf
ok "both have joined with that" eventually joined
ok "LOAD keeps it, and warns" eventually loaded 'the given delay is kept'
ok "it says what would do" grep -q 'delay of 3 slots, but .* write delay = [0-9]' said
ok "down with that" says 0 "the node is down" aloe down --platform slow.conf

# ---- one node is not ready ----

sed '/b: {/s/lanes = .0./lanes = [1023]/' pair.conf >short.conf
ok "up, with a CPU that b has not" says 0 "the node is up" aloe up --platform short.conf
ok "both have joined there" eventually joined
ok "no load, and node and reason are named" says 2 'node "b": CPU 1023 does not exist' aloe load two.conf
ok "nothing is left of it on any node" says 0 "no waveform is loaded" aloe list
ok "without a clock it needs no CPU" says 0 "two is loaded" aloe load two.conf --clock virtual
ok "down with it" says 0 "the node is down" aloe down --platform short.conf

# ---- with keys ----

sed -e '/secure/d' -e 's/pair/safe/' pair.conf >safe.conf
ok "no keys: nothing is opened" says 2 'node "a" has no key; `aloe keys new a --keys' aloe up --platform safe.conf
for node in a b; do
	keys=$XDG_STATE_HOME/aloe/keys
	[ $node = b ] && keys=$XDG_STATE_HOME/aloe/nodes/b/keys
	aloe keys new $node --keys "$keys" | sed -n 's/^  public key   //p' >key.$node
done
ok "keys are made" test -s key.a -a -s key.b
aloe keys allow b --keys "$XDG_STATE_HOME/aloe/keys" -- "$(cat key.b)" >/dev/null
aloe keys allow a --keys "$XDG_STATE_HOME/aloe/nodes/b/keys" -- "$(cat key.a)" >/dev/null
ok "up with keys" says 0 "the node is up: $work/aloe-b" aloe up --platform safe.conf
ok "both have joined with their keys" eventually joined
ok "load over CURVE" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 200
ok "start over CURVE" says 0 "two runs" aloe start two
ok "the end over CURVE" eventually state_is two STOP
ok "the bits over CURVE" same two.bin one.bin
ok "b is revoked" says 0 "" aloe keys revoke b --keys "$XDG_STATE_HOME/aloe/keys"
ok "and is heard no longer" eventually missing b
ok "down with keys" says 0 "the node is down: $work/aloe" aloe down --platform safe.conf

exit $failed
