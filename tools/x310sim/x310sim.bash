# SPDX-License-Identifier: BSD-3-Clause
# bash completion of x310sim, made by `x310sim --completion`
_x310sim() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	case ${COMP_WORDS[1]} in
	*)
		case $prev in
		-a | --address) COMPREPLY=(); return ;;
		-s | --source) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-r | --record) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-p | --port) COMPREPLY=(); return ;;
		--port-address) COMPREPLY=(); return ;;
		--port-bytes) COMPREPLY=(); return ;;
		--eal) COMPREPLY=(); return ;;
		-t | --seconds) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--address --source --record --port --port-address --port-bytes --eal --seconds --stop-on-error --missing-tx-zeros --json --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
}
complete -F _x310sim x310sim
