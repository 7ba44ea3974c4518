# SPDX-License-Identifier: BSD-3-Clause
# bash completion of x310loop, made by `x310loop --completion`
_x310loop() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	case ${COMP_WORDS[1]} in
	*)
		case $prev in
		-r | --rate) COMPREPLY=(); return ;;
		--spp) COMPREPLY=(); return ;;
		-a | --advance-us) COMPREPLY=(); return ;;
		-t | --seconds) COMPREPLY=(); return ;;
		--own-address) COMPREPLY=(); return ;;
		-p | --port) COMPREPLY=(); return ;;
		--eal) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--rate --spp --advance-us --seconds --own-address --port --eal --cpu --initialised --json --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
}
complete -F _x310loop x310loop
