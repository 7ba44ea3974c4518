# SPDX-License-Identifier: BSD-3-Clause
# bash completion of aloe, made by `aloe --completion`
_aloe() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "run check plan up down load start pause step stop unload list status top get set remap watch bench doctor new help version --help --version" -- "$cur"))
		return
	fi
	case ${COMP_WORDS[1]} in
	run)
		case $prev in
		-s | --slots) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slots --set --clock --radio --lanes --slot-us --copies --late --isolation --force --pipelined --json --quiet --strict --state --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	check)
		case $prev in
		--set) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--set --clock --radio --lanes --slot-us --copies --late --isolation --force --pipelined --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	plan)
		case $prev in
		--set) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--platform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--why) COMPREPLY=(); return ;;
		--mapper) COMPREPLY=($(compgen -W "tw1 tw2 tw3 tw1d tw2d tw3d greedy worst-fit chain local exact portfolio" -- "$cur")); return ;;
		--q) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--set --clock --radio --lanes --slot-us --copies --late --isolation --force --pipelined --platform --why --mapper --q --json --dir --state --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	up)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--foreground --dir --state --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	down)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--dir --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	load)
		case $prev in
		-s | --slots) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual step radio" -- "$cur")); return ;;
		--radio) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--copies) COMPREPLY=(); return ;;
		--late) COMPREPLY=($(compgen -W "slip skip" -- "$cur")); return ;;
		--isolation) COMPREPLY=($(compgen -W "waveform component none" -- "$cur")); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slots --set --clock --radio --lanes --slot-us --copies --late --isolation --force --pipelined --dir --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	start)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	pause)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	step)
		case $prev in
		-n | --count) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--count --dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	stop)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	unload)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	list)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --names --dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "components" -- "$cur")) ;;
	status)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	top)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	get)
		case $prev in
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	set)
		case $prev in
		--at) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--at --dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	remap)
		case $prev in
		--lanes) COMPREPLY=(); return ;;
		--pin) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--lanes --pin --dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	watch)
		case $prev in
		-i | --interval) COMPREPLY=(); return ;;
		-n | --count) COMPREPLY=(); return ;;
		--dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--interval --count --json --dir --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list --names 2>/dev/null)" -- "$cur")) ;;
	bench)
			if ((COMP_CWORD == 2)); then
		COMPREPLY=($(compgen -W "bler bpsk chain copies handover hist link predict map memory messages overhead pipes table1 throughput utran x310 x310-recovery --help" -- "$cur"))
		return
	fi
	case ${COMP_WORDS[2]} in
	bler)
		case $prev in
		-w | --waveform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-i | --iterations) COMPREPLY=(); return ;;
		--scaling) COMPREPLY=(); return ;;
		--ebn0) COMPREPLY=(); return ;;
		--errors) COMPREPLY=(); return ;;
		--blocks) COMPREPLY=(); return ;;
		--seed) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--waveform --iterations --scaling --ebn0 --errors --blocks --seed --simd --set --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	bpsk)
		case $prev in
		--slot-us) COMPREPLY=(); return ;;
		-l | --lanes) COMPREPLY=(); return ;;
		-s | --slots) COMPREPLY=(); return ;;
		-r | --runs) COMPREPLY=(); return ;;
		-m | --max) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slot-us --lanes --slots --runs --max --clock --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	chain)
		case $prev in
		-s | --seconds) COMPREPLY=(); return ;;
		--vs) COMPREPLY=(); return ;;
		-r | --runs) COMPREPLY=(); return ;;
		--trials) COMPREPLY=(); return ;;
		--seed) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--seconds --vs --all --runs --trials --seed --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	copies)
		case $prev in
		-s | --seconds) COMPREPLY=(); return ;;
		-m | --max) COMPREPLY=(); return ;;
		-l | --lanes) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--simd) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--seconds --max --lanes --slot-us --clock --simd --set --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	handover)
		case $prev in
		-s | --seconds) COMPREPLY=(); return ;;
		--vs) COMPREPLY=(); return ;;
		-r | --runs) COMPREPLY=(); return ;;
		--trials) COMPREPLY=(); return ;;
		--seed) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--seconds --vs --all --runs --trials --seed --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	hist)
		case $prev in
		-n | --samples) COMPREPLY=(); return ;;
		--isolation) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--samples --isolation --cpu --clock --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	link)
		case $prev in
		-n | --samples) COMPREPLY=(); return ;;
		-e | --each) COMPREPLY=(); return ;;
		-b | --bits) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--isolation) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--samples --each --bits --slot-us --isolation --cpu --clock --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	predict)
		case $prev in
		-w | --waveform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-r | --rounds) COMPREPLY=(); return ;;
		-s | --seconds) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--keep) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--from) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--waveform --rounds --seconds --cpu --keep --from --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	map)
		case $prev in
		--seeds) COMPREPLY=(); return ;;
		--load) COMPREPLY=(); return ;;
		--q) COMPREPLY=(); return ;;
		--steps) COMPREPLY=(); return ;;
		--units) COMPREPLY=(); return ;;
		--cores) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--seeds --load --q --steps --units --cores --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	memory)
		case $prev in
		--isolation) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--isolation --cpu --clock --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	messages)
		case $prev in
		--sizes) COMPREPLY=(); return ;;
		-n | --items) COMPREPLY=(); return ;;
		--packets) COMPREPLY=(); return ;;
		--vs) COMPREPLY=(); return ;;
		-r | --runs) COMPREPLY=(); return ;;
		--trials) COMPREPLY=(); return ;;
		--seed) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--sizes --items --packets --check --vs --all --runs --trials --seed --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	overhead)
		case $prev in
		-n | --samples) COMPREPLY=(); return ;;
		-r | --rounds) COMPREPLY=(); return ;;
		-c | --components) COMPREPLY=(); return ;;
		--slot-us) COMPREPLY=(); return ;;
		--isolation) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--vs) COMPREPLY=(); return ;;
		-r | --runs) COMPREPLY=(); return ;;
		--trials) COMPREPLY=(); return ;;
		--seed) COMPREPLY=(); return ;;
		-s | --seconds) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--samples --rounds --components --slot-us --isolation --cpu --clock --vs --all --runs --trials --seed --seconds --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	pipes)
		case $prev in
		--sizes) COMPREPLY=(); return ;;
		-n | --items) COMPREPLY=(); return ;;
		--slot-items) COMPREPLY=(); return ;;
		--vs) COMPREPLY=(); return ;;
		-r | --runs) COMPREPLY=(); return ;;
		--trials) COMPREPLY=(); return ;;
		--seed) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--sizes --items --slot-items --check --vs --all --runs --trials --seed --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	table1)
		case $prev in
		-n | --samples) COMPREPLY=(); return ;;
		--isolation) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--samples --isolation --cpu --clock --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	throughput)
		case $prev in
		-n | --items) COMPREPLY=(); return ;;
		--vs) COMPREPLY=(); return ;;
		-r | --runs) COMPREPLY=(); return ;;
		--trials) COMPREPLY=(); return ;;
		--seed) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--items --vs --all --runs --trials --seed --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	utran)
		case $prev in
		-w | --waveform) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-s | --seconds) COMPREPLY=(); return ;;
		-r | --rounds) COMPREPLY=(); return ;;
		-i | --iterations) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--cpu) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--set) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--waveform --seconds --rounds --iterations --clock --cpu --simd --set --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	x310)
		case $prev in
		-s | --seconds) COMPREPLY=(); return ;;
		--systems) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--seconds --systems --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	x310-recovery)
		case $prev in
		--spp) COMPREPLY=(); return ;;
		--wire-us) COMPREPLY=(); return ;;
		--advance-us) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--spp --wire-us --advance-us --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
		;;
	doctor)
		case $prev in
		--lanes) COMPREPLY=(); return ;;
		--seconds) COMPREPLY=(); return ;;
		--state) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--lanes --seconds --apply --revert --json --state --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	new)
		case $prev in
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--cpp --help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "component" -- "$cur")) ;;
	help)
		case $prev in
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--help" -- "$cur")); return; fi
		COMPREPLY=($(compgen -W "$(aloe list components --names 2>/dev/null)" -- "$cur")) ;;
	version)
		case $prev in
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
}
complete -F _aloe aloe
