# SPDX-License-Identifier: BSD-3-Clause
#
# tests/common/nodes.sh - for scripts to source that start nodes of a platform on this machine: tests/common/node.sh, whose `says`
# takes its words as they stand here, then the folder $work; the platform files and the waveform of most of them. A script has
# ports of its own, from $port on, below those that the kernel gives to whoever asks for any.
. tests/common/node.sh
exactly=-F
top=$PWD
for node in a b c; do
	capacity_copy "$work/state-$node"
	capacity_copy "$XDG_STATE_HOME/aloe/nodes/$node"
done
cd "$work" || exit 2

joined() { # [HOW_MANY] [--dir DIR]
	want=2
	case ${1:-} in [0-9]*) want=$1 && shift ;; esac
	test "$(aloe list nodes "$@" | grep -c ' joined ')" = "$want"
}
state_is() { # WAVEFORM STATE [--dir DIR]
	name=$1 state=$2
	shift 2
	aloe list "$@" | grep -q "^$name  *$state "
}
same() { test "$(sha256sum <"$1")" = "$(sha256sum <"$2")"; }
pid_of() { # DAEMON NODE_DIRECTORY: its number; DAEMON may be a pattern
	ps -eo pid=,args= | awk -v daemon="^aloe-$1\$" -v dir="$2" '$2 ~ daemon && $4 == dir { print $1 }'
}
another() { # DAEMON NODE_DIRECTORY NUMBER: not that one
	after=$(pid_of "$1" "$2") && test -n "$after" -a "$after" != "$3"
}
killed() { # DAEMON NODE_DIRECTORY: and another one is there
	before=$(pid_of "$1" "$2")
	test -n "$before" && kill -9 "$before" && eventually another "$1" "$2" "$before"
}
processes() { # NODE: all that were started with NODE_MARK=$work/NODE
	grep -lsaF "NODE_MARK=$work/$1" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'
}
signal() { # SIGNAL NODE [DAEMON]: to all processes of the node, or to one daemon
	for pid in $(processes "$2"); do
		[ -z "${3:-}" ] || [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "aloe-$3" ] || continue
		kill -"$1" "$pid" 2>/dev/null
	done
}
is_gone() { test -z "$(processes "$1")"; } # NODE
sockets() { # NODE_DIRECTORY: inodes of all sockets of the daemons of its node
	for pid in $(pid_of '.*' "$1"); do
		find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null
	done | tr -dc '0-9\n' | sort -u
}

node() { # NAME PORTS_AFTER [MORE]
	echo "	$1: { mmac_per_s = 1000.0; address = \"127.0.0.1:$((port + $2))\"; shared = true; lanes = [0]; ${3:-}};"
}
link() { # NAME NAME [MORE]
	echo "	{ nodes = [\"$1\", \"$2\"]; mbit_per_s = 1000.0; ${3:-}}"
}
pair() { # [MORE_OF_B] [MORE_OF_THE_LINK]: two nodes, a is the manager
	printf '%s\n' 'name = "pair";' 'secure = false;' 'nodes: {'
	node a 0 "manager = true; "
	node b 2 "${1:-}"
	echo "}; links = ( $(link a b "delay = 2; ${2:-}") );"
}
three() { # [MORE_OF_EACH_LINK]: and a third one
	echo 'name = "three"; secure = false; nodes: {'
	node a 0 "manager = true; "
	node b 2
	node c 4
	echo "}; links = ( $(link a b "${1:-}"), $(link b c "${1:-}"), $(link a c "${1:-}") );"
}
two() { # [NODE_OF_DEMOD] [MORE_OF_SINK]: a waveform on both nodes of the pair
	cat <<-END
		name = "two";
		slot_ns = 20000000;
		instances: {
			source: { component = "random_source"; length = 1000; seed = 7; node = "a"; };
			mod:    { component = "bpsk_mod"; node = "b"; };
			demod:  { component = "bpsk_demod"; node = "${1:-b}"; };
			sink:   { component = "file_sink"; path = "two.bin"; ${2:-}};
		};
		links = ( "source -> mod -> demod -> sink" );
	END
}
bearer() { # waveforms/utran384.conf with its transmitter on a, its channel on b, its receiver on c
	awk '/^\t(source|bits|crc|encoder|match|interleave1|segment|mux|interleave2|mod):/ { sub(/; };/, "; node = \"a\"; };") }
		/^\t(noise):/ { sub(/; };/, "; node = \"b\"; };") }
		/^\t(soft|deinterleave2|demux|desegment|deinterleave1|dematch|decoder|check|words|sink|compare):/ {
			sub(/; };/, "; node = \"c\"; };") }
		{ print }' "$top/waveforms/utran384.conf" | sed "s|{here}|$top/waveforms|"
}
