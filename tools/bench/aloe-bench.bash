# SPDX-License-Identifier: BSD-3-Clause
# bash completion of aloe-bench, made by `aloe-bench --completion`
_aloe-bench() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "bler bpsk bridge chain copies draw growth handover hist lengths link predict map memory messages overhead pipes response table1 throughput two-node utran x310 x310-recovery x310loop --help --version" -- "$cur"))
		return
	fi
	case ${COMP_WORDS[1]} in
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
		--pairs) COMPREPLY=(); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slot-us --lanes --slots --runs --max --pairs --clock --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	bridge)
		case $prev in
		-b | --bytes) COMPREPLY=(); return ;;
		--ways) COMPREPLY=(); return ;;
		-s | --seconds) COMPREPLY=(); return ;;
		-r | --rounds) COMPREPLY=(); return ;;
		--depth) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--bytes --ways --seconds --rounds --depth --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
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
	draw)
		case $prev in
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
	growth)
		case $prev in
		--instances) COMPREPLY=(); return ;;
		--waveforms) COMPREPLY=(); return ;;
		--slots) COMPREPLY=(); return ;;
		--runs) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--instances --waveforms --slots --runs --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
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
	lengths)
		case $prev in
		-r | --rounds) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--simd) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--rounds --cpu --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
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
		--cases) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--seeds --load --q --steps --units --cores --published --cases --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
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
		--slots) COMPREPLY=(); return ;;
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
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--samples --rounds --components --slot-us --isolation --cpu --clock --daemons --web --slots --vs --all --runs --trials --seed --seconds --simd --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
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
	response)
		case $prev in
		-n | --subframes) COMPREPLY=(); return ;;
		--resume) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--subframes --resume --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
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
	two-node)
		case $prev in
		--slot-us) COMPREPLY=(); return ;;
		-s | --slots) COMPREPLY=(); return ;;
		--transport) COMPREPLY=($(compgen -W "tcp udp" -- "$cur")); return ;;
		--clock) COMPREPLY=($(compgen -W "timer virtual" -- "$cur")); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--slot-us --slots --transport --clock --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
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
	x310loop)
		case $prev in
		-r | --rate) COMPREPLY=(); return ;;
		--spp) COMPREPLY=(); return ;;
		-a | --advance-us) COMPREPLY=(); return ;;
		-t | --seconds) COMPREPLY=(); return ;;
		--own-address) COMPREPLY=(); return ;;
		-p | --port) COMPREPLY=(); return ;;
		--eal) COMPREPLY=(); return ;;
		--cpu) COMPREPLY=(); return ;;
		--table) COMPREPLY=(); return ;;
		--columns) COMPREPLY=(); return ;;
		--csv) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--plot) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "--rate --spp --advance-us --seconds --own-address --port --eal --cpu --initialised --json --json --markdown --table --columns --csv --plot --strict --quiet --help" -- "$cur")); return; fi
		COMPREPLY=() ;;
	esac
}
complete -F _aloe-bench aloe-bench
