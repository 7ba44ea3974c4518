#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/slurm.sh - platforms/deploy/aloe.slurm under Debian's Slurm, whose controller, three `slurmd -N` and munged run here
# with files of their own: three nodes join, a waveform runs on two of them, the third is killed and its machine declared down,
# the two go on, scancel leaves nothing. By `make check-others`; needs root, because slurmd does.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
top=$PWD
PATH=$(cd "$B/bin" && pwd):$PATH:/usr/sbin
for program in slurmctld slurmd munged sbatch; do
	command -v $program >/dev/null || { echo "not tried: slurm, which needs $program (tests/deps.sh others)"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "not tried: slurm, because slurmd needs root"; exit 0; }

work=$(mktemp -d /tmp/aloe-slurm.XXXXXX) || exit 2
. tests/common/ok.sh
# processes WHAT: those of this test that have it in their arguments
processes() { ps -eo pid=,args= | awk -v work="$work" -v what="$1" 'index($0, work) && index($0, what) && !/ awk /'; }
nobody() { [ -z "$(processes "")" ]; }
eventually() { # a condition that comes true by itself
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	"$@"
}
end() {
	scancel --user=root >/dev/null 2>&1
	for file in "$work"/d.n?.pid "$work/ctld.pid" "$work/munge/pid"; do
		[ -f "$file" ] && kill "$(cat "$file")" 2>/dev/null
	done
	eventually nobody
	rm -rf "$work"
}
cd "$work" || exit 2
chmod 755 .

# ---- Slurm ----

port=$((9200 + $$ % 25 * 16))
host=$(hostname -s)
export SLURM_CONF="$work/slurm.conf" XDG_RUNTIME_DIR="$work/r" XDG_STATE_HOME="$work/s" ALOE_LOG=error
mkdir -m 700 r s spool.n1 spool.n2 spool.n3 state
mkdir -m 755 munge
head -c 128 /dev/urandom >munge/key && chmod 600 munge/key
cat >slurm.conf <<END
ClusterName=aloe
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/d.%n.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/d.%n.log
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1 State=UNKNOWN
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
END
trap end EXIT
slurm_begins() {
	munged --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
		--log-file="$work/munge/log" --seed-file="$work/munge/seed" || return
	slurmctld -i || return
	for n in n1 n2 n3; do slurmd -N $n || return; done
}
idle() { test "$(sinfo -h -N -t idle -o %N | wc -l)" = 3; }
if ! slurm_begins >begin 2>&1 || ! eventually idle; then
	cat begin ctld.log d.n?.log 2>/dev/null | tail -n 30
	echo "not tried: slurm, which does not run on this machine (above: what its daemons say)"
	exit 0
fi
ok "Slurm has three machines" idle

# ---- three nodes ----

node() { # NAME PORT [MORE]
	echo "	$1: { mmac_per_s = 1000.0; address = \"127.0.0.1:$2\"; shared = true; lanes = [0]; ${3:-} };"
}
cat >three.conf <<END
name = "three";
secure = false;
nodes: {
$(node n1 $((port + 4)) "manager = true;")
$(node n2 $((port + 6)))
$(node n3 $((port + 8)))
};
links = ( { nodes = ["n1", "n2", "n3"]; mbit_per_s = 1000.0; kind = "bus"; delay = 2; } );
END
cat >two.conf <<'END'
name = "two";
slot_ns = 20000000;
instances: {
	source: { component = "random_source"; length = 1000; seed = 7; node = "n1"; };
	mod:    { component = "bpsk_mod"; node = "n2"; };
	demod:  { component = "bpsk_demod"; node = "n2"; };
	check:  { component = "bit_compare"; node = "n1"; };
};
links = ( "source -> mod -> demod -> check.received", "source -> check.sent" );
END
on() { # NODE ARGUMENTS...: aloe there
	name=$1
	shift
	aloe "$@" --dir "$work/r/aloe-$name"
}
has() { # JOINED MISSING: how many nodes of each, as n1 sees it
	on n1 list nodes >nodes && test "$(grep -c ' joined ' nodes)" = "$1" && test "$(grep -c ' missing' nodes)" = "$2"
}
keeper() { ps -eo pid=,args= | awk -v dir="$work/r/aloe-$1" '$3 == "up" && index($0, dir) { print $1 }'; }
blocks() { on n1 get two check.blocks | sed 's/.* //'; }
goes_on() { # more blocks than there were
	now=$(blocks) && test "$now" -gt "$before"
}
submitted() { job=$(sbatch --parsable -N 3 -o "$work/out" "$top/platforms/deploy/aloe.slurm" "$work/three.conf") && test -n "$job"; }

ok "the job is submitted" submitted
ok "three nodes are up, and joined" eventually has 3 0
ok "the job's output says where each is reached" test "$(grep -c "^node n[123]: directory $work/r/aloe-n" out)" = 3
ok "a waveform on two of them" on n1 load two.conf
ok "it is started" on n1 start two
before=0
ok "it runs" eventually goes_on
ok "one node is killed" kill -9 "$(keeper n3)"
ok "it is missed" eventually has 2 1
left_of_n3() { test -z "$(processes aloe-n3)"; }
ok "of it nothing is left" eventually left_of_n3
ok "its machine is down" scontrol update nodename=n3 state=down reason=test
before=$(blocks)
ok "the waveform goes on" eventually goes_on
ok "the job runs" test "$(squeue -h -j "$job" -o %T)" = RUNNING
ok "the two are there" has 2 1

# ---- the end ----

ok "scancel" scancel "$job"
gone() { test -z "$(squeue -h -j "$job" -o %T 2>/dev/null)" && test -z "$(processes aloe-n)"; }
ok "the job is gone, and all its processes" eventually gone
ok "no socket and no directory is left" test -z "$(ls -A r)"
[ $failed = 0 ] || tail -n 30 out ctld.log d.n?.log
exit $failed
