# SPDX-License-Identifier: BSD-3-Clause
# bash completion of x310-init, made by `x310-init --completion`
_x310-init() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	case ${COMP_WORDS[1]} in
	*)
		case $prev in
		-r | --rate) COMPREPLY=(); return ;;
		--spp) COMPREPLY=(); return ;;
		-f | --freq) COMPREPLY=(); return ;;
		--rx-freq) COMPREPLY=(); return ;;
		--tx-freq) COMPREPLY=(); return ;;
		-g | --gain) COMPREPLY=(); return ;;
		--rx-gain) COMPREPLY=(); return ;;
		--tx-gain) COMPREPLY=(); return ;;
		-b | --bandwidth) COMPREPLY=(); return ;;
		--rx-antenna) COMPREPLY=(); return ;;
		--tx-antenna) COMPREPLY=(); return ;;
		-c | --clock-source) COMPREPLY=(); return ;;
		-t | --time-source) COMPREPLY=(); return ;;
		-s | --subdev) COMPREPLY=(); return ;;
		-a | --args) COMPREPLY=(); return ;;
		--stream-address) COMPREPLY=(); return ;;
		-p | --port) COMPREPLY=(); return ;;
		--own-address) COMPREPLY=(); return ;;
		--seconds) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--rate --spp --freq --rx-freq --tx-freq --gain --rx-gain --tx-gain --bandwidth --rx-antenna --tx-antenna --clock-source --time-source --subdev --args --stream-address --port --own-address --json --seconds --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
}
complete -F _x310-init x310-init
