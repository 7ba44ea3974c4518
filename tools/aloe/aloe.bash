# SPDX-License-Identifier: BSD-3-Clause
# bash completion of aloe, made by `aloe --completion`
_aloe() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "run record replay compare check plan graph runs report up down load start pause step stop unload list status why web top get set cap remap upgrade watch log tap trace scope bench doctor new keys help version --help --version" -- "$cur"))
		return
	fi
	case ${COMP_WORDS[1]} in
	run)
		case $prev in
		-s | --slots) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--tap) COMPREPLY=(); return ;;
		--keep) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--record) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--platform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--on-miss) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--cap) COMPREPLY=(); return ;;
		--shield) COMPREPLY=(); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--web --slots --set --tap --keep --clock --radio --lanes --slot-us --copies --late --isolation --rr --force --pipelined --json --quiet --strict --record --digests --verify --platform --dir --on-miss --cap --shield --state --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	record)
		case $prev in
		-s | --slots) COMPREPLY=(); return ;;
		--keep) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slots --keep --quiet --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	replay)
		case $prev in
		--clock) COMPREPLY=($(compgen -W "timer virtual step" -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--platform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--clock --lanes --isolation --pipelined --force --compare --json --quiet --platform --dir --state --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")) ;;
	compare)
		case $prev in
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")) ;;
	check)
		case $prev in
		--set) COMPREPLY=(); return ;;
		--tap) COMPREPLY=(); return ;;
		--keep) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--set --tap --keep --clock --radio --lanes --slot-us --copies --late --isolation --rr --force --pipelined --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	plan)
		case $prev in
		--set) COMPREPLY=(); return ;;
		--tap) COMPREPLY=(); return ;;
		--keep) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--platform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		--why) COMPREPLY=(); return ;;
		--mapper) COMPREPLY=($(compgen -W "tw1 tw2 tw3 tw1d tw2d tw3d greedy worst-fit chain local exact portfolio" -- "$cur")); return ;;
		--q) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--set --tap --keep --clock --radio --lanes --slot-us --copies --late --isolation --rr --force --pipelined --platform --node --why --mapper --q --json --dir --state --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	graph)
		case $prev in
		--svg) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--png) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--dot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--set) COMPREPLY=(); return ;;
		--tap) COMPREPLY=(); return ;;
		--keep) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--platform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--svg --png --dot --set --tap --keep --clock --radio --lanes --slot-us --copies --late --isolation --rr --force --pipelined --platform --node --dir --state --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	runs)
		case $prev in
		--keep) COMPREPLY=(); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--compare --prune --keep --json --state --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	report)
		case $prev in
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --plot --state --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	up)
		case $prev in
		--node) COMPREPLY=(); return ;;
		--platform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--metrics) COMPREPLY=(); return ;;
		--cap) COMPREPLY=(); return ;;
		--shield) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--foreground --node --platform --metrics --web --cap --shield --dir --state --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	down)
		case $prev in
		--platform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--platform --dir --node --state --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	load)
		case $prev in
		-s | --slots) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--tap) COMPREPLY=(); return ;;
		--keep) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--on-miss) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--cap) COMPREPLY=(); return ;;
		--shield) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slots --set --tap --keep --clock --radio --lanes --slot-us --copies --late --isolation --rr --force --pipelined --on-miss --cap --shield --dir --node --state --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	start)
		case $prev in
		--at) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--at --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	pause)
		case $prev in
		--at) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--at --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	step)
		case $prev in
		-n | --count) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--count --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	stop)
		case $prev in
		--at) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--at --force --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	unload)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--force --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	list)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --names --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "components nodes" -- "$cur")) ;;
	status)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	why)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --dir --node --state --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	web)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	top)
		case $prev in
		--page) COMPREPLY=($(compgen -W "instances lanes copies causes waveforms" -- "$cur")); return ;;
		--sort) COMPREPLY=(); return ;;
		--filter) COMPREPLY=(); return ;;
		-i | --interval) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--page --sort --reverse --filter --interval --once --json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	get)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	set)
		case $prev in
		--at) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--at --json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	cap)
		case $prev in
		--slot-us) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slot-us --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	remap)
		case $prev in
		--lanes) COMPREPLY=(); return ;;
		--pin) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--lanes --pin --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	upgrade)
		case $prev in
		--component) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--at) COMPREPLY=(); return ;;
		--shadow) COMPREPLY=(); return ;;
		--within) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--component --set --at --shadow --within --status --commit --rollback --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	watch)
		case $prev in
		-i | --interval) COMPREPLY=(); return ;;
		-n | --count) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--interval --count --json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	log)
		case $prev in
		--every) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--every --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	tap)
		case $prev in
		-o | --output) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-n | --count) COMPREPLY=(); return ;;
		--every) COMPREPLY=(); return ;;
		--from) COMPREPLY=(); return ;;
		--last) COMPREPLY=(); return ;;
		--keep) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--output --count --every --from --last --framed --sigmf --keep --json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	trace)
		case $prev in
		--last) COMPREPLY=(); return ;;
		--on-miss) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--last --on-miss --json --dir --node --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	scope)
		case $prev in
		--view) COMPREPLY=($(compgen -W "time spectrum waterfall constellation eye histogram bits" -- "$cur")); return ;;
		-n | --samples) COMPREPLY=(); return ;;
		--skip) COMPREPLY=(); return ;;
		--fft) COMPREPLY=(); return ;;
		--window) COMPREPLY=($(compgen -W "flattop hann" -- "$cur")); return ;;
		--rate) COMPREPLY=(); return ;;
		--centre) COMPREPLY=(); return ;;
		--modulation) COMPREPLY=($(compgen -W "none bpsk qpsk qam16 qam64" -- "$cur")); return ;;
		--symbol) COMPREPLY=(); return ;;
		--svg) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--png) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--node) COMPREPLY=(); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--view --samples --skip --fft --window --rate --centre --modulation --symbol --once --svg --png --csv --dir --node --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	bench)
		declare -F _aloe-bench >/dev/null || _completion_loader aloe-bench 2>/dev/null
		COMP_WORDS=(aloe-bench "${COMP_WORDS[@]:2}") COMP_CWORD=$((COMP_CWORD - 1))
		_aloe-bench 2>/dev/null ;;
	doctor)
		case $prev in
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--seconds) COMPREPLY=(); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--radio --lanes --seconds --apply --bench --revert --json --state --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	new)
		case $prev in
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--cpp --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "component" -- "$cur")) ;;
	keys)
		case $prev in
		--keys) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--keys --force --state --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "new list allow revoke" -- "$cur")) ;;
	help)
		case $prev in
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--all --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list components --names 2>/dev/null)" -- "$cur")) ;;
	version)
		case $prev in
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
}
complete -F _aloe aloe
