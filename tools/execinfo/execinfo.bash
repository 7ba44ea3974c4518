# SPDX-License-Identifier: BSD-3-Clause
# bash completion of execinfo, made by `execinfo --completion`
_execinfo() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	case ${COMP_WORDS[1]} in
	*)
		case $prev in
		-r | --run) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		-n | --samples) COMPREPLY=(); return ;;
		--hist) COMPREPLY=(); return ;;
		--margin) COMPREPLY=(); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--describe) COMPREPLY=($(compgen -W "$(aloe list components --names 2>/dev/null)" -- "$cur")); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--run --samples --hist --margin --csv --json --plot --describe --save --calibrate --dir --state --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	esac
}
complete -F _execinfo execinfo
