# SPDX-License-Identifier: BSD-3-Clause
# bash completion of x310sim, made by `x310sim --completion`
_x310sim() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	case ${COMP_WORDS[1]} in
	*)
		case $prev in
		-a | --address) COMPREPLY=(); return ;;
		--sfp1) COMPREPLY=(); return ;;
		-i | --image) COMPREPLY=($(compgen -W "HG XG" -- "$cur")); return ;;
		--frame-bytes) COMPREPLY=(); return ;;
		--fpga) COMPREPLY=($(compgen -W "4.3 4.10 4.11 next" -- "$cur")); return ;;
		--layout-seed) COMPREPLY=(); return ;;
		-n | --devices) COMPREPLY=(); return ;;
		-s | --source) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-r | --record) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sound) COMPREPLY=(); return ;;
		--sound-every) COMPREPLY=(); return ;;
		--sound-keep) COMPREPLY=(); return ;;
		-e | --expect) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--expect-taps) COMPREPLY=(); return ;;
		--expect-channels) COMPREPLY=(); return ;;
		--expect-db) COMPREPLY=(); return ;;
		--response) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-c | --clock) COMPREPLY=($(compgen -W "real virtual" -- "$cur")); return ;;
		--lead) COMPREPLY=(); return ;;
		--drift-ppm) COMPREPLY=(); return ;;
		--fault-tx) COMPREPLY=(); return ;;
		--fault-rx) COMPREPLY=(); return ;;
		--rx-multicast) COMPREPLY=(); return ;;
		--missing-tx) COMPREPLY=($(compgen -W "skip zeros" -- "$cur")); return ;;
		--wedge-tx) COMPREPLY=(); return ;;
		--daughterboard) COMPREPLY=($(compgen -W "ubx ubx-unlocked" -- "$cur")); return ;;
		-p | --port) COMPREPLY=(); return ;;
		--port-address) COMPREPLY=(); return ;;
		--port-bytes) COMPREPLY=(); return ;;
		--eal) COMPREPLY=(); return ;;
		-t | --seconds) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--address --sfp1 --image --frame-bytes --fpga --layout-seed --devices --source --record --sound --sound-every --sound-keep --expect --expect-taps --expect-channels --expect-db --response --clock --lead --drift-ppm --fault-tx --fault-rx --rx-multicast --missing-tx --wedge-tx --stop-on-error --daughterboard --port --port-address --port-bytes --eal --seconds --json --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
}
complete -F _x310sim x310sim
