# SPDX-License-Identifier: BSD-3-Clause
# bash completion of comprun, made by `comprun --completion`
_comprun() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	case ${COMP_WORDS[1]} in
	*)
		case $prev in
		-p | --param) COMPREPLY=(); return ;;
		-s | --slots) COMPREPLY=(); return ;;
		-n | --items) COMPREPLY=(); return ;;
		-i | --in) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o | --out) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-t | --type) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--param --slots --items --in --out --type --slot-us --vars --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list components --names 2>/dev/null)" -- "$cur")) ;;
	esac
}
complete -F _comprun comprun
