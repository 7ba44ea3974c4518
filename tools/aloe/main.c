/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe - runs software radios in time slots. This is the table of its commands; help, the man page
 * and completion follow from it. */
#include "tools/aloe/commands.h"
#include "tools/aloe/docs.h"
#include "tools/aloe/manual.h"
#include "tools/aloe/scope.h"

#define SOURCE_OPTIONS                                                                             \
	{"set", 0, "INST.PARAM=V", NULL, true,                                                     \
	    "set a parameter of an instance, or KEY=V of the waveform; may be repeated"},          \
	    {"tap", 0, "INST.PORT", NULL, true,                                                    \
	        "give this output a ring of its own, which `aloe tap` reads while the waveform "   \
	        "runs; may be repeated"},                                                          \
	    {"keep", 0, "N", NULL, false,                                                          \
	        "messages in the rings of --tap; default: those of 100 ms, at least 16"},          \
	    {"clock", 0, "CLOCK", "timer virtual step radio", false,                               \
	        "timer (real time), virtual (as fast as possible, same bits), step (one slot at "  \
	        "a time) or radio (paced by the samples of a radio)"},                             \
	    {"radio", 0, "FILE", "@file", false,                                                   \
	        "radio file that describes the device (`man aloe`, section RADIO FILES)"},         \
	    {"lanes", 0, "CPU,CPU", NULL, false,                                                   \
	        "run on these CPUs, one lane on each CPU; default: the plan chooses the lanes"},   \
	    {"slot-us", 0, "T", NULL, false, "slot length in microseconds"},                       \
	    {"copies", 0, "N", NULL, false,                                                        \
	        "load N independent copies of the waveform as one waveform; {copy} in a text or "  \
	        "path is the number of the copy"},                                                 \
	    {"late", 0, "POLICY", "slip skip", false,                                              \
	        "what happens to a slot that is not complete in time: slip (the slot runs later, " \
	        "nothing is lost) or skip (a missing message is ABSENT and counted)"},             \
	    {"isolation", 0, "HOW", "waveform component none", false,                              \
	        "processes: waveform (one process per waveform), component (one process per "      \
	        "instance) or none (one process shared by all trusted waveforms)"},                \
	    {"rr", 0, NULL, NULL, false,                                                           \
	        "give the threads of the lanes SCHED_RR instead of SCHED_FIFO (scheduler = "       \
	        "\"rr\")"},                                                                        \
	    {"force", 0, NULL, NULL, false,                                                        \
	        "load the waveform even if the plan says that the waveform does not fit (admit = " \
	        "\"always\")"},                                                                    \
	{                                                                                          \
		"pipelined", 0, NULL, NULL, false,                                                 \
		    "one slot of delay on every link, so that lanes work in parallel"              \
	}

#define DIR_OPTION                                                                                 \
	{                                                                                          \
		"dir", 0, "DIR", "@dir", false,                                                    \
		    "runtime directory of the node; default $XDG_RUNTIME_DIR/aloe or "             \
		    "/tmp/aloe-UID"                                                                \
	}
#define NODE_OPTIONS                                                                               \
	DIR_OPTION,                                                                                \
	{                                                                                          \
		"node", 0, "NAME", NULL, false,                                                    \
		    "name of the node that is asked; default: the node of the runtime directory"   \
	}
#define STATE_OPTION                                                                               \
	{                                                                                          \
		"state", 0, "DIR", "@dir", false,                                                  \
		    "folder of runs and profiles; default ~/.local/state/aloe"                     \
	}

#define PLATFORM_OPTION                                                                            \
	{                                                                                          \
		"platform", 0, "NAME", "@file", false,                                             \
		    "platform file of the nodes that belong together, or its name; default: the "  \
		    "node is alone, and opens no network socket"                                   \
	}

#define CAP_OPTIONS                                                                                \
	{"cap", 0, "PERCENT", NULL, false,                                                         \
	    "leave the other programs at most so much of the time of all CPUs (1 .. 100) until "   \
	    "the node ends; the quota's period is the slot, at least 1 ms (needs root)"},          \
	{                                                                                          \
		"shield", 0, "CPUS", NULL, false,                                                  \
		    "keep the other programs off these CPUs until the node ends (needs root)"      \
	}

#define MISS_OPTION                                                                                \
	{                                                                                          \
		"on-miss", 0, "DIR", "@dir", false,                                                \
		    "write a trace into this folder around each miss, at most one a second and "   \
		    "100 in all (`aloe help trace`)"                                               \
	}

/* Of a run that may be on nodes that are up. */
#define ON_NODES_OPTIONS                                                                           \
	{"platform", 0, "NAME", "@file", false,                                                    \
	    "run on the nodes of this platform, which are up (`aloe up --platform`), instead of "  \
	    "on a node of one's own; NAME is a platform file or its name"},                        \
	{                                                                                          \
		"dir", 0, "DIR", "@dir", false,                                                    \
		    "with --platform: runtime directory of the node from which the waveform is "   \
		    "loaded; default $XDG_RUNTIME_DIR/aloe or /tmp/aloe-UID"                       \
	}

static const struct cli_option down_options[] = {PLATFORM_OPTION, NODE_OPTIONS, STATE_OPTION};
#define WEB_OPTION                                                                                 \
	{                                                                                          \
		"web", 0, "[=PORT]", NULL, false,                                                  \
		    "serve the dashboard at http://127.0.0.1:PORT/ for browsers of this machine; " \
		    "PORT 7373 if none is given; default: no port is opened"                       \
	}
static const struct cli_option run_options[] = {
    WEB_OPTION,
    {"slots", 's', "N", NULL, false,
        "number of slots: sources run index 0 .. N-1, and the run ends when their last message "
        "has arrived; default: until a source ends or Ctrl-C"},
    SOURCE_OPTIONS,
    {"json", 0, NULL, NULL, false,
        "print the report as one JSON object on standard output, and notes on standard error"},
    {"quiet", 'q', NULL, NULL, false, "print only errors and what --json asks for"},
    {"strict", 0, NULL, NULL, false,
        "exit with status 3 if a slot was missed, slipped or skipped, or a message was late or "
        "absent"},
    {"record", 0, "DIR", "@dir", false,
        "record what comes from outside and every change of a parameter, so that `aloe replay DIR` "
        "gives the same bits; DIR is new or empty"},
    {"digests", 0, NULL, NULL, false,
        "with --record: keep a digest of each message of each link, for `aloe replay --compare` "
        "and `aloe compare`"},
    {"verify", 0, NULL, NULL, false,
        "run the waveform again and again on other lanes, isolations, replicas, vector levels and "
        "clocks, --slots each (default 1000), and print whether all sinks got the same bits"},
    ON_NODES_OPTIONS,
    MISS_OPTION,
    CAP_OPTIONS,
    STATE_OPTION,
};
static const struct cli_option record_options[] = {
    {"slots", 's', "N", NULL, false,
        "end after N indices; default: at Ctrl-C, or with the waveform"},
    {"keep", 0, "N", NULL, false,
        "messages that the rings of the taps keep; default: those of 500 ms, at least 80"},
    {"quiet", 'q', NULL, NULL, false, "print only errors"},
    NODE_OPTIONS,
};
static const struct cli_option replay_options[] = {
    {"clock", 0, "CLOCK", "timer virtual step", false,
        "clock of the replay; default virtual (as fast as possible)"},
    {"lanes", 0, "CPU,CPU", NULL, false,
        "run on these CPUs, one lane on each CPU; default: the plan chooses the lanes"},
    {"isolation", 0, "HOW", "waveform component none", false,
        "processes, as with `aloe run`; default waveform"},
    {"pipelined", 0, NULL, NULL, false,
        "one slot of delay on every link, so that lanes work in parallel"},
    {"force", 0, NULL, NULL, false, "replay even if the plan says that the waveform does not fit"},
    {"compare", 0, NULL, NULL, false,
        "compare each message of each link with the digests of the recording, and name the first "
        "index and the first instance whose output differs"},
    {"json", 0, NULL, NULL, false,
        "print the report as one JSON object on standard output, and the table on standard error"},
    {"quiet", 'q', NULL, NULL, false, "print only errors and what --json asks for"},
    ON_NODES_OPTIONS,
    STATE_OPTION,
};
static const struct cli_option load_options[] = {
    {"slots", 's', "N", NULL, false,
        "number of slots: sources run index 0 .. N-1, and the run ends "
        "when their last message has arrived"},
    SOURCE_OPTIONS,
    MISS_OPTION,
    CAP_OPTIONS,
    NODE_OPTIONS,
    STATE_OPTION,
};
static const struct cli_option check_options[] = {SOURCE_OPTIONS};
#define MACHINE_OPTIONS                                                                            \
	{"platform", 0, "NAME", "@file", false,                                                    \
	    "machines to plan for: a platform file, the name of a platform, or local (this "       \
	    "machine without its load); default: this machine, less what the running node has "    \
	    "loaded"},                                                                             \
	{                                                                                          \
		"node", 0, "NAME", NULL, false,                                                    \
		    "with --platform: the node from which the waveform is loaded; an instance "    \
		    "with a path is on that node unless the waveform file gives it a `node`; "     \
		    "default: a path may be on any node"                                           \
	}
static const struct cli_option graph_options[] = {
    {"svg", 0, "FILE", "@file", false, "draw by Graphviz, as SVG; FILE - is standard output"},
    {"png", 0, "FILE", "@file", false, "draw by Graphviz, as PNG"},
    {"dot", 0, "FILE", "@file", false,
        "write the text that Graphviz draws; FILE - is standard output"},
    SOURCE_OPTIONS,
    MACHINE_OPTIONS,
    DIR_OPTION,
    STATE_OPTION,
};
static const struct cli_option plan_options[] = {
    SOURCE_OPTIONS,
    MACHINE_OPTIONS,
    {"why", 0, "INSTANCE", NULL, false,
        "explain the lane of this instance: the cost on every other lane, and what would break "
        "there"},
    {"mapper", 0, "NAME", "tw1 tw2 tw3 tw1d tw2d tw3d greedy worst-fit chain local exact portfolio",
        false,
        "use only this mapper, at 100 % of the capacity; default: all mappers, and the "
        "best result"},
    {"q", 0, "Q", NULL, false,
        "weight of processing against links in the cost of a mapping, from 0 to 1; default 0.5"},
    {"json", 0, NULL, NULL, false, "print JSON"},
    DIR_OPTION,
    STATE_OPTION,
};
static const struct cli_option runs_options[] = {
    {"compare", 0, NULL, NULL, false,
        "print the figures of two runs beside each other, and what they differ in"},
    {"prune", 0, NULL, NULL, false, "remove all but the newest runs"},
    {"keep", 0, "N", NULL, false, "with --prune: how many of the newest runs stay; default 100"},
    {"json", 0, NULL, NULL, false, "print the list as JSON"},
    STATE_OPTION,
};
static const struct cli_option report_options[] = {
    {"json", 0, NULL, NULL, false, "print the report as JSON, as `aloe run --json` did"},
    {"plot", 0, "FILE", "@file", false,
        "also draw the times of the run with gnuplot, as FILE.svg or FILE.png, or write the script "
        "FILE.gp"},
    STATE_OPTION,
};
static const struct cli_option up_options[] = {
    {"foreground", 'f', NULL, NULL, false, "run in the foreground (for systemd)"},
    {"node", 0, "NAME", NULL, false,
        "name of the node; default: the name of the machine, or with --platform all nodes whose "
        "addresses are of this machine"},
    PLATFORM_OPTION,
    {"metrics", 0, "PORT", NULL, false,
        "serve the counts of all waveforms at http://127.0.0.1:PORT/metrics for "
        "programs of this machine; default: no port is opened"},
    WEB_OPTION,
    CAP_OPTIONS,
    DIR_OPTION,
    STATE_OPTION,
};
static const struct cli_option step_options[] = {
    {"count", 'n', "N", NULL, false, "number of slots to run; default 1"}, NODE_OPTIONS};
#define AT_SLOT(help)                                                                              \
	{                                                                                          \
		"at", 0, "SLOT", NULL, false, help                                                 \
	}
static const struct cli_option start_options[] = {
    AT_SLOT("first slot that runs; an error if that slot is too near or past; default: the first "
            "slot that all lanes can still meet"),
    NODE_OPTIONS,
};
static const struct cli_option pause_options[] = {
    AT_SLOT("first slot that does not run; an error if that slot is too near or past; default: the "
            "next possible slot"),
    NODE_OPTIONS,
};
static const struct cli_option stop_options[] = {
    AT_SLOT("first slot in which the sources no longer run; an error if that slot is too near or "
            "past; default: the next possible slot"),
    {"force", 0, NULL, NULL, false,
        "kill the waveform's hosts at once instead of waiting for them"},
    NODE_OPTIONS,
};
static const struct cli_option unload_options[] = {
    {"force", 0, NULL, NULL, false,
        "kill the waveform's hosts at once instead of waiting for them"},
    NODE_OPTIONS,
};
static const struct cli_option list_options[] = {
    {"json", 0, NULL, NULL, false, "print JSON"},
    {"names", 0, NULL, NULL, false, "print only the names, one per line"},
    NODE_OPTIONS,
};
static const struct cli_option json_options[] = {
    {"json", 0, NULL, NULL, false, "print JSON"}, NODE_OPTIONS};
static const struct cli_option cap_options[] = {
    {"slot-us", 0, "T", NULL, false,
        "period of the quota in microseconds; default: as it is, or the shortest possible"},
};
static const struct cli_option why_options[] = {
    {"json", 0, NULL, NULL, false, "print JSON"}, NODE_OPTIONS, STATE_OPTION};
static const struct cli_option set_options[] = {
    {"at", 0, "INDEX", NULL, false,
        "first index that has the new value; default: the next possible index"},
    {"json", 0, NULL, NULL, false, "print the index as JSON"},
    NODE_OPTIONS,
};
static const struct cli_option remap_options[] = {
    {"lanes", 0, "CPU,CPU", NULL, false,
        "run on these CPUs, one lane on each CPU; default: as when the waveform was loaded"},
    {"pin", 0, "INST=LANE", NULL, true,
        "run instance INST on lane LANE; lanes are numbered from 0; may be repeated"},
    NODE_OPTIONS,
};
static const struct cli_option upgrade_options[] = {
    {"component", 0, "PATH|NAME", NULL, false,
        "the new build: DIR/NAME.so with its .desc beside it, or the name of a component"},
    {"set", 0, "NAME=VALUE", NULL, true,
        "set a parameter of the new build, or of the one gone back to; may be repeated"},
    {"at", 0, "INDEX", NULL, false,
        "first index that the new build works on; default: the next possible index"},
    {"shadow", 0, "N", NULL, false,
        "only compare: run the new build beside the old one for N indices, in its own process"},
    {"within", 0, "DB", NULL, false,
        "messages are equal if the error is at least DB below the signal; default: bit for bit"},
    {"status", 0, NULL, NULL, false, "print what came of the shadow run"},
    {"commit", 0, NULL, NULL, false, "put the build of the shadow run into the waveform"},
    {"rollback", 0, NULL, NULL, false,
        "drop a shadow run or a waiting upgrade, or else go back to the build before"},
    NODE_OPTIONS,
};
static const struct cli_option watch_options[] = {
    {"interval", 'i', "MS", NULL, false, "time between two prints in milliseconds; default 1000"},
    {"count", 'n', "N", NULL, false, "number of prints; default: until Ctrl-C"},
    {"json", 0, NULL, NULL, false,
        "print one JSON object per line: schema, waveform, index (finished by all instances), "
        "time of day (UTC) and values"},
    NODE_OPTIONS,
};
static const struct cli_option log_options[] = {
    {"every", 0, "N", NULL, false, "one line for each N indices; default 1"},
    NODE_OPTIONS,
};
static const struct cli_option tap_options[] = {
    {"output", 'o', "FILE", "@file", false, "write to this file; default: standard output"},
    {"count", 'n', "N", NULL, false, "end after N messages; default: until the waveform ends"},
    {"every", 0, "K", NULL, false, "only the messages of indices 0, K, 2 K ...; default 1"},
    {"from", 0, "INDEX", NULL, false,
        "begin with this index, or report that its message is lost; default: the next index"},
    {"last", 0, "N", NULL, false,
        "begin with the last N messages, as far as the ring still has them"},
    {"framed", 0, NULL, NULL, false,
        "write index, flags and length before each message, and a frame for each gap"},
    {"sigmf", 0, NULL, NULL, false,
        "with -o NAME: write a recording in SigMF, NAME.sigmf-data and NAME.sigmf-meta; what is "
        "lost or ABSENT ends a segment"},
    {"keep", 0, "N", NULL, false,
        "messages that the ring must keep; default: those of 100 ms, at least 16"},
    {"json", 0, NULL, NULL, false, "without an output: print JSON"},
    NODE_OPTIONS,
};
static const struct cli_option trace_options[] = {
    {"last", 0, "TIME", NULL, false,
        "how far the trace looks back, with its unit: 2s, 500ms or 100us; default 2s, with "
        "--on-miss 1s"},
    {"on-miss", 0, "DIR", "@dir", false,
        "from now on write a trace into this folder around each miss, at most one a second and "
        "100 in all"},
    {"json", 0, NULL, NULL, false, "write JSON for chrome://tracing"},
    NODE_OPTIONS,
};
static const struct cli_option scope_options[] = {
    {"view", 0, "VIEW", "time spectrum waterfall constellation eye histogram bits", false,
        "what is shown; default spectrum"},
    {"samples", 'n', "N", NULL, false, "samples that are looked at; default 65536"},
    {"skip", 0, "N", NULL, false, "of a recording: samples that are left out before them"},
    {"fft", 0, "N", NULL, false,
        "samples of a block of the spectrum, a power of two; default 1024, of a waterfall 256"},
    {"window", 0, "WINDOW", "flattop hann", false,
        "window of the spectrum: flattop (default; a tone is right to 0.02 dB, a real one if it is "
        "not near 0 or half the rate) or "
        "hann (finer resolution; a tone is up to 1.4 dB low)"},
    {"rate", 0, "HZ", NULL, false,
        "sample rate; default: that of the recording, or the items of a message in a slot"},
    {"centre", 0, "HZ", NULL, false,
        "frequency of the middle of the spectrum; default: that of the recording, or 0"},
    {"modulation", 0, "NAME", "none bpsk qpsk qam16 qam64", false,
        "with --view constellation: the points, for the error vector magnitude"},
    {"symbol", 0, "N", NULL, false, "with --view eye: samples of a symbol"},
    {"once", 0, NULL, NULL, false, "draw once, as without a terminal"},
    {"svg", 0, "FILE", "@file", false, "draw by gnuplot, as SVG; FILE - is standard output"},
    {"png", 0, "FILE", "@file", false, "draw by gnuplot, as PNG"},
    {"csv", 0, "FILE", "@file", false, "write the values, with commas between them"},
    NODE_OPTIONS,
};
static const struct cli_option top_options[] = {
    {"page", 0, "PAGE", "instances lanes copies causes waveforms", false,
        "page that is shown first; default: instances, or waveforms if no waveform is given"},
    {"sort", 0, "COLUMN", NULL, false,
        "sort by the column of this title; default: what is bad comes first"},
    {"reverse", 'r', NULL, NULL, false, "reverse the order of the rows"},
    {"filter", 0, "TEXT", NULL, false, "show only rows that have this text"},
    {"interval", 'i', "MS", NULL, false,
        "time between two looks at the node in milliseconds; default 500"},
    {"once", 0, NULL, NULL, false, "print the whole table once, as without a terminal"},
    {"json", 0, NULL, NULL, false, "print the reports as JSON, once"},
    NODE_OPTIONS,
};
static const struct cli_option doctor_options[] = {
    {"radio", 0, "FILE", "@file", false,
        "check the radio of a radio file instead of this machine: the way to each device, the "
        "device, and one second of samples there and back"},
    {"lanes", 0, "CPUS", NULL, false,
        "CPUs that the lanes shall use, such as 1,3 or 1-3; default: all CPUs of this process"},
    {"seconds", 0, "N", NULL, false,
        "duration of the measurement in seconds, 0 for no measurement; "
        "default 4"},
    {"apply", 0, NULL, NULL, false,
        "change what can be changed while the machine runs, and record the old values (needs "
        "root)"},
    {"bench", 0, NULL, NULL, false,
        "measure what each knob is worth: without any, with each alone and with all, five times "
        "in turns, --seconds each (default 1); everything is put back, after Ctrl-C too (needs "
        "root)"},
    {"revert", 0, NULL, NULL, false,
        "restore all values that --apply has changed, or a --bench that was killed (needs root)"},
    {"json", 0, NULL, NULL, false, "print JSON"},
    {"state", 0, "DIR", "@dir", false,
        "folder of the record of changes; default ~/.local/state/aloe"},
};
static const struct cli_option help_options[] = {
    {"all", 0, NULL, NULL, false, "describe all commands and all components"}};
static const struct cli_option new_options[] = {
    {"cpp", 0, NULL, NULL, false, "write the component in C++ instead of C"}};

static const struct cli_option keys_options[] = {
    {"keys", 0, "DIR", "@dir", false,
        "folder of the keys; default: keys in the state folder, or /etc/aloe if only that folder "
        "has a key"},
    {"force", 0, NULL, NULL, false, "keys new: replace the key that the node has"},
    STATE_OPTION,
};

static const char run_doc[] =
    "Starts a private node, loads and starts the waveform, shows a live table (on a terminal) or "
    "a line every two seconds, and prints the report when the waveform has ended. The first "
    "Ctrl-C stops the waveform: messages on their way still arrive, files are closed, and the "
    "report is printed (exit status 130). A second Ctrl-C, 0.3 s later or more, ends everything "
    "at once. No process is left behind.\n\nOn a terminal the live table has the keys of `aloe "
    "top` (pages, order, filter, scrolling; ? explains the columns). q leaves the table, and the "
    "run goes on with a line every two seconds; Ctrl-C stops it. After Ctrl-Z the waveform runs "
    "on, and `fg` brings the table back.\n\nWith --clock step on a terminal, Enter or s runs one "
    "slot, a number runs so many slots, and q quits. Without a terminal the waveform runs to its "
    "end.\n\nOne file_source and one file_sink of the waveform may have path = \"-\": standard "
    "input and standard output of this command, as in `program | aloe run FILE | program`. All "
    "other output then goes to standard error. The end of the input ends the run, and so does a "
    "reader that "
    "closes the output. A FIFO (mkfifo) as path is waited for as well, and several may be.\n\nA "
    "waveform "
    "with clock = \"radio\", slot_samples and rate is paced by the samples of a radio, which "
    "--radio names: a file with a group radio: { type = \"x310\"; transport = \"udp\"; address = "
    "\"192.168.40.2\"; tx_advance = 2560; }; or a list of two groups (the section RADIO FILES of "
    "`man aloe` describes all keys). A slot begins when its last sample has arrived, and the "
    "time stamp of the samples gives the slot its number. Lost samples are absent from their "
    "slot; lost and late samples are counted.\n\nWith --platform the waveform runs on nodes that "
    "are up: it is loaded from the node of --dir, runs, and is unloaded; the nodes stay. The "
    "first Ctrl-C stops it, the second unloads it by force. With --record the command is given "
    "on the manager's machine, and DIR there gets what came from outside on all nodes. What "
    "instances missed on other nodes is not recorded, so late = \"skip\" and overrun = "
    "\"conceal\" are refused there.";
static const char cap_doc[] =
    "Puts all programs that are not of ALOE into control groups that together get at most PERCENT "
    "of the time of all CPUs in each period. Programs of ALOE are those whose names begin with "
    "aloe. In force within two periods. The end of the last node that uses the cap, `aloe cap "
    "off` and, after a crash, `aloe doctor --revert` put everything back. All nodes that run when "
    "the cap is set use it; of several caps the last one is in force. Where aloe is in a control "
    "group whose name begins with aloe-scope, only the programs in that group are limited.";
static const char why_doc[] =
    "Without a slot: a table of the causes. With a slot: what happened in that slot, in five lines "
    "at most for each lane that was late. The waveform is one of the node that runs, or else the "
    "last saved run. Causes are found from the times of the calls, the CPU time of the lane's "
    "thread, and what the kernel has recorded of the lane's CPU. The shares of the causes of a "
    "slot add up to its lateness, and what is not found is named `not-explained`. Time in which "
    "the lane's thread did not run, and of which the kernel has no records, is `off-cpu`. With "
    "--json: the records; with a slot: the record of that slot, those of other lanes in "
    "`others`, and the calls of that slot, of the 64 slots that were late last. The last 4096 "
    "records of a waveform are kept while it is loaded, and all of them in misses.jsonl in the "
    "folder of the run (at most 64 MB). There is no record of slots that ran while aloe-exec was "
    "not there.";
static const char check_doc[] =
    "Prints all errors of the file at once, each as `file:line: what was found, what is allowed`.";
static const char plan_doc[] =
    "Prints lanes, order, budgets, start times in the slot, link distances, and the latency in "
    "slots and microseconds. The plan also says which mapper won, what the other mappers found, "
    "and what would be possible: the shortest slot, the largest messages, the component to speed "
    "up first, the number of cores needed. Costs come from the profile of earlier runs of the same "
    "waveform, or else from the components' own figures; the same input gives the same plan. For "
    "other messages they are fitted or scaled, as the plan says. A waveform that does not fit is "
    "refused (exit status 2) with the reason in numbers and the nearest that fits. While a node "
    "runs here, the plan uses only what that node has left.\n\nA platform file describes machines "
    "that need not exist: nodes, cores and links. The section PLATFORM FILES of `man aloe` "
    "describes all keys. --lanes numbers cores from 0 through all nodes of the file.";
static const char graph_doc[] =
    "Draws the instances of one copy, coloured by lane, with their places in the order of the"
    " lane, and the links with type, items, declared delay and distance in slots. The path "
    "from source to sink that gives the latency is bold. Without --svg, --png and --dot the "
    "picture is made of plain characters, an instance on a line.\n\nIf a waveform of this "
    "name is loaded in the running node, the picture is of that waveform as it runs: mean and"
    " largest time of a call and the share of the slot, the load of the lanes, missed slots, "
    "ABSENT inputs, calls beyond their budgets and lost records, each at its place. FILE with"
    " a slash, or any option of a plan, means a waveform file, which is drawn as `aloe plan` "
    "would place it.\n\n--svg and --png need Graphviz (Debian: apt-get install graphviz).";
static const char runs_doc[] =
    "Every run is kept in a folder of its own below the state folder. The list begins with "
    "the newest run: its name, when it began, how long it took, slots, slots missed or "
    "skipped, and the blocks with errors of that instance that counted most of them. A run "
    "without a report goes on, or its node was killed. A report that cannot be read is named "
    "on standard error, left out and counted.\n\n--compare RUN RUN prints both runs beside "
    "each other. --prune removes the oldest runs, and never one that goes on. "
    "Wherever a run is named, `last` is the newest run.";
static const char report_doc[] =
    "Prints the report of a run that is kept, as `aloe run` printed it at its end. RUN is a name "
    "that `aloe runs` lists, or `last` for the newest run.";
static const char up_doc[] = "Starts the daemons of this node in the background. A daemon that "
                             "dies is started again, and the waveforms go on. `aloe down` stops "
                             "the node. The log lines of the daemons go to node.log in the state "
                             "folder.\n\nWith --platform the node is one of several that run "
                             "waveforms together (section PLATFORM FILES): it connects to the "
                             "manager over TCP with its key (`aloe keys`). Without --node all "
                             "nodes of this machine are started: the manager in the runtime "
                             "directory and the state folder, each other node X in DIR-X and "
                             "STATE/nodes/X, with its keys in STATE/nodes/X/keys. `aloe down "
                             "--platform` stops them.\n\nWith --foreground aloe tells systemd "
                             "(NOTIFY_SOCKET) when the node is up and when it ends and, if "
                             "WATCHDOG_USEC is set, that the node's frontend answers. The unit "
                             "aloe@.service and the Slurm script share/aloe/deploy/aloe.slurm "
                             "come with ALOE.\n\nWith --metrics the manager answers GET "
                             "/metrics: Prometheus text 0.0.4, or OpenMetrics 1.0 if the client "
                             "asks for it. Slots, missed slots, times of instances, batons and "
                             "counts of the radio are those of `aloe status --json`.";
static const char web_doc[] =
    "A node that was started by `aloe up --web`, or a run by `aloe run --web`, serves one page: "
    "load and margins of lanes, missed slots and their causes, waveforms as graphs, variables, "
    "signals, and histograms of times. The page is for browsers of this machine alone: a request "
    "with another name of the machine, or from a page of another address, is refused.\n\nReading "
    "needs no token. Whatever changes something does: the page takes the token from the address "
    "that `aloe web` prints behind `open:`. The token lies in the file `web` of the node's runtime "
    "directory, which only its user can read; it stays the same until the node ends. At most 16 "
    "pages look at once, and at 16 signals.\n\nFrom another machine: `ssh -L "
    "7373:127.0.0.1:7373 HOST`. Another address than 127.0.0.1 is refused: it would need TLS, and "
    "the civetweb of Debian 12 (1.15) cannot have TLS beside OpenSSL 3. It looks for the function "
    "SSL_get_peer_certificate, which OpenSSL 3 does not export, and ends with a fault at the first "
    "connection.";
static const char stop_doc[] =
    "Messages on their way still arrive; then files are closed. The waveform stays loaded, with "
    "its report, until `aloe unload`.\n\nIf the waveform makes no step for 5 s, or a host does "
    "not finish within 10 s, the hosts are killed; the waveform is then in state ABNSTOP, and "
    "its report gives the reason. --force kills the hosts at once.";
static const char unload_doc[] =
    "Stops the waveform first, as `aloe stop` does, and saves its report.\n\n--force removes a "
    "waveform in any state: while the waveform is being loaded or moved to other lanes, and "
    "while a host hangs or does not answer. The hosts are killed at once, and data that they "
    "have not written to their files is lost. Waveforms that share a host (isolation \"none\") "
    "end together.";
static const char set_doc[] =
    "Prints the first index that has the new value. Several numbers, of any instances on any "
    "lanes and nodes, change at the same index. A parameter can be set while the waveform runs if "
    "`aloe help TYPE` says so.\n\nAn array is given as numbers with commas between them, or as "
    "@FILE. The file has numbers as text (separated by white space or commas, # begins a "
    "comment), or raw 32-bit floats in the byte order of this machine if its name ends in "
    ".f32. The component prepares the new array beside the current array and switches "
    "between two slots.";
static const char log_doc[] =
    "Writes comma-separated text until the waveform ends or Ctrl-C: a head with the names, then "
    "lines with an index and the values after that index. FILE - is standard output. The instance "
    "may run on any node.\n\nThe waveform is not slowed down. If an index was over before the node "
    "looked, the line is missing; at the end aloe prints how many lines are missing, in how many "
    "gaps. With --every N the line has the first of N indices that was seen. Without a clock "
    "indices pass faster than they can be seen.";
static const char tap_doc[] =
    "Writes the items of the messages of an output, one after another: bits one per byte, numbers "
    "in the order of bytes of the machine, complex numbers as re, im. INST.PORT is an output with "
    "a link; without INST.PORT aloe prints all of them. The tap ends with the waveform, or at "
    "Ctrl-C, and prints on standard error what came and what was lost. Any number of taps may "
    "read one output.\n\nThe waveform does not wait for a tap, and is not slowed down. An output "
    "that is tapped has a ring of its own, which keeps the last messages. If the output has none "
    "yet (load the waveform with --tap INST.PORT, or tap = true; of the instance), the waveform "
    "pauses for a few slots while it gets one, as with `aloe remap` onto the same lanes; no index "
    "is lost by that. A tap that is too slow loses messages: their indices are counted and "
    "printed, and zeros stand for them in the file (with -o, a hole). Zeros also stand for a "
    "message that is ABSENT, and nothing for one that is IDLE. Without a clock messages pass "
    "faster than they can "
    "be read.\n\nWith --framed each message has a head, in little endian: index (8 bytes), flags "
    "(4 bytes) and length (4 bytes) of the bytes that follow. Flags are 0 for a message, 1 for "
    "IDLE, 2 for ABSENT, and 4 for a gap: then index is the first message that is lost, and the 8 "
    "bytes that follow are how many are. Flags 8 is the same for messages from before the ring "
    "was made, which are no losses.";
static const char trace_doc[] =
    "Writes what a waveform did last as a file for ui.perfetto.dev: each lane is a track, each "
    "call of an instance a slice in the slice of its slot, each message an arrow from the call "
    "that wrote it to the call that read it. Misses are marked, with their cause as `aloe why` "
    "tells it. On a clock there are also, on the same axis (CLOCK_MONOTONIC), the threads that "
    "had the lanes' CPUs and the interrupts of these CPUs, as far as the kernel lets them be "
    "recorded. FILE - is standard output.\n\nNothing has to be switched on before: the last calls "
    "are always kept (96 slots of most waveforms), and the kernel's records of a lane's CPU as "
    "far as 1 MB reaches. What is not there any more, or was overwritten while it was read, is "
    "counted and printed. The waveform is not slowed down.\n\nWith --on-miss and without FILE "
    "aloe-exec itself writes DIR/WAVEFORM-SLOT.pftrace around each miss, up to 0.1 s after it, "
    "until the waveform ends or aloe-exec is started again. No file is written over, and after a "
    "trace that took a quarter of a second there are no more. A miss that comes less than a second "
    "after a trace gets none of its own. A waveform of several nodes has one trace for each node "
    "(--node).";
static const char top_doc[] =
    "On a terminal the table is drawn again and again, in the size of the terminal, until q or "
    "Ctrl-C; it is the table that `aloe run` shows. Without a terminal it is printed once, with "
    "all rows and columns. A row that has something that should not be begins with an "
    "exclamation mark, and stands above the others. If there is not room for all columns of a "
    "page, some are left out; if there is not room for all rows, the table says how many there "
    "are above and below. If the node ends, aloe says so, with exit status 1.";
static const char scope_doc[] =
    "Draws an output of a running waveform (WAVEFORM INST.PORT), through a ring as `aloe "
    "tap` does, or a recording in SigMF (the name of its .sigmf-meta). Without --svg, --png"
    " and --csv the picture is made of characters. Messages of a waveform that are "
    "lost or ABSENT are left out and counted; for lost samples of a recording stand "
    "zeros.\n\nOf a running waveform the picture is drawn again and again in the size of the "
    "terminal, each time of the next --samples, until q or Ctrl-C. In colours, if COLORTERM "
    "says truecolor and NO_COLOR is not set.\n\nLevels are in dBFS: 0 dBFS is the power 1, "
    "that of a complex tone of amplitude 1; a real tone of amplitude 1 has -3 dBFS, "
    "and whole numbers of 16 bits "
    "count in 1/32768. A spectrum is by Welch, in blocks that overlap by half. Its levels "
    "are those of a tone; of noise, a level is the power in the resolution bandwidth (RBW),"
    " which the title states. A constellation of more than 10000 samples is drawn as a "
    "density.\n\n--svg and --png need gnuplot (Debian: apt-get install gnuplot-nox).";
static const char remap_doc[] =
    "Every instance keeps its state and processes every index once, the output has the same "
    "bits, and other waveforms lose no slot. The moved waveform pauses for a few slots and then "
    "has the latency of the new plan; aloe prints both. Without options the manager maps the "
    "waveform as it did at load, with the costs that the run has measured so far. A pin counts "
    "the present lanes of the waveform, or the lanes of --lanes. If the waveform cannot be "
    "moved, the command is refused and nothing changes.";
static const char upgrade_doc[] =
    "The new build is loaded into the process of the old one and initialised while the waveform "
    "runs. Then the waveform stands between two slots and takes the new build from one index on, "
    "without an index left out or done twice. If the old component has export_state and the new "
    "one import_state, the state is taken over; otherwise the new build starts fresh, which is "
    "said. Parameters that were set since the load, or given with an earlier upgrade, keep their "
    "values where the new build has them too, unless --set gives another; an array that was set "
    "must be given. --rollback restores the values from before the upgrade. While --at waits, "
    "pause, stop and --rollback abandon the upgrade. An init that hangs leaves the waveform "
    "running, but its host deaf (`aloe unload --force`). An export_state or import_state that "
    "hangs for 2 s ends the waveform. An instance with replicas cannot be upgraded. The new build "
    "needs the same ports with messages of the same sizes, and the same tail; sources and sinks of "
    "files and sockets cannot be upgraded, nor can waveforms that are recorded, that have a radio "
    "as their clock, or that run on several nodes. The build is copied, so the file may be built "
    "anew.\n\n"
    "With --shadow N the new build works in a process of its own on copies of the messages that "
    "the instance reads, and aloe compares what both write. The waveform pauses for a few slots "
    "once, for rings. --status tells what came of it: equal, equal within DB, or which index was "
    "the first that differed; then --commit or --rollback. A waveform has one shadow run; another "
    "one takes its place, and it ends with aloe-exec, a remap, an upgrade, and when a parameter of "
    "the instance is set. Under skip, messages that the instance missed count as different. The "
    "rings stay until the waveform is unloaded, as does the memory of the first build. On the "
    "virtual clock the waveform may be too fast for a shadow.";
static const char new_doc[] =
    "Creates the folder NAME with a component, a test, a waveform, a README and a Makefile that "
    "builds against this installation: `cd NAME && make run` tries the component, `make test` "
    "tests it, `make debug` runs it in gdb, and `make asan` tests it with the address sanitizer.";
static const char keys_doc[] =
    "Nodes of different machines talk over TCP only with keys (CURVE, as in zmq_curve(7)): every "
    "node has a secret key, and a list of the nodes that may connect to it. A node that is not "
    "on the list is refused, and so is a node with a wrong key.\n\n"
    "  keys new NODE         make the key of this node; its public key is printed\n"
    "  keys list             print the key of this node and the allowed nodes\n"
    "  keys allow NODE KEY   let a node in that has this public key\n"
    "  keys revoke NODE      refuse this node from now on; NODE may be its key\n\n"
    "A public key is 40 characters; put it between single quotes, and `--` before a key that "
    "begins with a dash. A fingerprint is shorter to compare by voice. The files of the folder, "
    "node.key and allowed, must be closed to other users (mode 0600), or they are refused. A "
    "running node reads the list again when it has changed.";

static const char bench_doc[] =
    "Starts aloe-bench(1) with the remaining arguments; `aloe bench --help` lists the benchmarks.";

static const struct cli_command commands[] = {
    {"run", "FILE", 1, 1, "@file", "run a waveform in a node of its own and print a report",
        run_doc, CLI_LIST(run_options), aloe_run},
    {"record", "WAVEFORM DIR", 2, 2, "@waveform",
        "record a waveform that runs, so that it can be replayed", record_doc,
        CLI_LIST(record_options), aloe_record},
    {"replay", "DIR", 1, 1, "@dir", "run a recording again and compare what all sinks get",
        replay_doc, CLI_LIST(replay_options), aloe_replay},
    {"compare", "DIR DIR2", 2, 2, "@dir",
        "name the first index and instance at which two recordings differ", compare_doc, {NULL, 0},
        aloe_compare},
    {"check", "FILE", 1, 1, "@file", "check a waveform file and print all errors at once",
        check_doc, CLI_LIST(check_options), aloe_check},
    {"plan", "FILE", 1, 1, "@file", "print where and in which order a waveform would run", plan_doc,
        CLI_LIST(plan_options), aloe_plan},
    {"graph", "FILE|WAVEFORM", 1, 1, "@file", "draw a waveform, or a waveform as it runs",
        graph_doc, CLI_LIST(graph_options), aloe_graph},
    {"runs", "[--compare RUN RUN]", 0, 2, NULL, "list, compare and remove the runs that are kept",
        runs_doc, CLI_LIST(runs_options), aloe_runs},
    {"report", "RUN", 1, 1, NULL, "print the report of a run that is kept", report_doc,
        CLI_LIST(report_options), aloe_report},
    {"up", "", 0, 0, NULL, "start a node in the background", up_doc, CLI_LIST(up_options), aloe_up},
    {"down", "", 0, 0, NULL, "stop the node and all its waveforms", NULL, CLI_LIST(down_options),
        aloe_down},
    {"load", "FILE", 1, 1, "@file", "load a waveform into the running node", NULL,
        CLI_LIST(load_options), aloe_load},
    {"start", "WAVEFORM", 1, 1, "@waveform",
        "start a loaded waveform, or continue a paused waveform", NULL, CLI_LIST(start_options),
        aloe_start},
    {"pause", "WAVEFORM", 1, 1, "@waveform", "pause a running waveform between two slots", NULL,
        CLI_LIST(pause_options), aloe_pause},
    {"step", "WAVEFORM", 1, 1, "@waveform", "run one slot of a waveform, then pause the waveform",
        NULL, CLI_LIST(step_options), aloe_step},
    {"stop", "WAVEFORM", 1, 1, "@waveform", "stop a waveform and close its files", stop_doc,
        CLI_LIST(stop_options), aloe_stop},
    {"unload", "WAVEFORM", 1, 1, "@waveform", "remove a waveform from the node", unload_doc,
        CLI_LIST(unload_options), aloe_unload},
    {"list", "[components|nodes]", 0, 1, "components nodes",
        "list the loaded waveforms, all components, or the nodes of the platform", NULL,
        CLI_LIST(list_options), aloe_list},
    {"status", "[WAVEFORM]", 0, 1, "@waveform", "print the report of a loaded waveform", NULL,
        CLI_LIST(json_options), aloe_status},
    {"why", "[WAVEFORM] [SLOT]", 0, 2, "@waveform", "tell why slots were late", why_doc,
        CLI_LIST(why_options), aloe_why},
    {"web", "", 0, 0, NULL, "print the address of the node's dashboard, and its token", web_doc,
        CLI_LIST(json_options), aloe_web},
    {"top", "[WAVEFORM]", 0, 1, "@waveform", "show the live table of a waveform, or of all",
        top_doc, CLI_LIST(top_options), aloe_top, .more = top_words},
    {"get", "WAVEFORM [INST[.VAR]]", 1, 2, "@waveform",
        "print variables and parameters of a waveform", NULL, CLI_LIST(json_options), aloe_get},
    {"set", "WAVEFORM INST.PARAM=V ...", 2, 33, "@waveform", "set parameters of a running waveform",
        set_doc, CLI_LIST(set_options), aloe_set},
    {"cap", "PERCENT|off", 1, 1, NULL, "limit the CPU time of the other programs", cap_doc,
        CLI_LIST(cap_options), aloe_cap},
    {"remap", "WAVEFORM", 1, 1, "@waveform", "move a running waveform to other lanes", remap_doc,
        CLI_LIST(remap_options), aloe_remap},
    {"upgrade", "WAVEFORM INST", 2, 2, "@waveform",
        "give an instance of a running waveform another build", upgrade_doc,
        CLI_LIST(upgrade_options), aloe_upgrade},
    {"watch", "WAVEFORM INST[.VAR]", 2, 2, "@waveform",
        "print variables of a waveform every second", NULL, CLI_LIST(watch_options), aloe_watch},
    {"log", "WAVEFORM INST[.VAR] FILE", 3, 3, "@waveform",
        "write variables of a waveform to a file, one line per index", log_doc,
        CLI_LIST(log_options), aloe_log},
    {"tap", "WAVEFORM [INST.PORT]", 1, 2, "@waveform",
        "write the messages of an output of a running waveform", tap_doc, CLI_LIST(tap_options),
        aloe_tap},
    {"trace", "WAVEFORM [FILE]", 1, 2, "@waveform",
        "write what ran last, on lanes and their CPUs, for ui.perfetto.dev", trace_doc,
        CLI_LIST(trace_options), aloe_trace},
    {"scope", "WAVEFORM INST.PORT|RECORDING", 1, 2, "@file",
        "draw the spectrum or another view of a signal", scope_doc, CLI_LIST(scope_options),
        aloe_scope, .more = scope_words},
    {"bench", "COMMAND", 0, 0, NULL, "run a benchmark on this machine", bench_doc,
        .program = "aloe-bench"},
    {"doctor", "", 0, 0, NULL,
        "check this machine's real-time readiness and the shortest slot it sustains", doctor_doc,
        CLI_LIST(doctor_options), aloe_doctor},
    {"new", "component NAME", 2, 2, "component", "create the folder of a new component", new_doc,
        CLI_LIST(new_options), aloe_new},
    {"keys", "new|list|allow|revoke [NODE [KEY]]", 1, 3, "new list allow revoke",
        "make the key of this node, and choose which other nodes may connect", keys_doc,
        CLI_LIST(keys_options), aloe_keys},
    {"help", "[COMMAND|TYPE]", 0, 1, "@type",
        "describe a command or a component; --all describes everything", NULL,
        CLI_LIST(help_options), aloe_help},
    {"version", "", 0, 0, NULL, "print the version of ALOE", NULL, {NULL, 0}, aloe_version},
};

static const char doc[] =
    "ALOE cuts time into slots. A waveform is a graph of components; every component runs "
    "exactly once per slot, one after another, on pinned cores. aloe checks, plans and runs "
    "waveform files, and controls the running node.";
static const struct cli_section sections[] = {
    {"EXIT STATUS",
        "  0    done\n  1    failed while running: an error of a component or file, a crash, a "
        "radio that\n       does not stream at the end, or no node\n  2    wrong use: the "
        "command line, the waveform file, a waveform that does not fit, or\n       a command that "
        "the state of the waveform does not allow (pausing it twice), or no gnuplot\n       or "
        "Graphviz to draw with\n  3    with --strict: "
        "a slot or a message was not in time\n  130  stopped by Ctrl-C"},
    {"EXAMPLES",
        "  aloe run utran384\n  aloe run waveforms/utran384.conf --set noise.ebn0_db=1\n"
        "  aloe run bpsk --clock virtual --slots 1000 --json\n"
        "  aloe up && aloe load bpsk && aloe start bpsk && aloe top bpsk"},
    {"RADIO FILES", NULL, manual_radio},
    {"PLATFORM FILES", manual_platform},
    {"FILES",
        "  $XDG_RUNTIME_DIR/aloe/               sockets of the running node, else "
        "/tmp/aloe-UID\n  ~/.local/state/aloe/runs/            one folder per run: report.json, "
        "report.txt, plan.txt, waveform.conf\n  ~/.local/state/aloe/profiles/        measured "
        "costs\n  ~/.local/state/aloe/doctor.json      changes of aloe doctor --apply, with the "
        "old values\n"
        "  /run/aloe.cap/machine.json           changes of --cap, --shield and aloe cap\n"
        "  ~/.local/state/aloe/keys/            node.key and allowed, of aloe keys; else "
        "/etc/aloe\n  ~/.local/lib/aloe/                   the user's own "
        "components, NAME.so and NAME.desc"},
    {"ENVIRONMENT",
        "ALOE_COMPONENTS lists folders with components, separated by colons, which are searched "
        "first. ALOE_WAVEFORMS lists folders with waveforms, separated by colons. FILE is a file "
        "if a file of that name exists; otherwise, if the name has no slash, aloe looks for "
        "FILE.conf and FILE in these folders, then among the waveforms of ALOE "
        "(share/aloe/waveforms, or those of the source). ALOE_LOG selects what the daemons log: "
        "error, warning, note (default) or debug. XDG_RUNTIME_DIR and XDG_STATE_HOME have their "
        "usual meaning."},
    {"SEE ALSO",
        "aloe-words(7), execinfo(1), comprun(1), aloe-bench(1), aloe-frontend(8), aloe-bridge(8), "
        "aloe-exec(8), aloe-stats(8), aloe-statsman(8), aloe-swman(8), aloe-host(8)"},
};

static const struct cli_program program = {
    .name = "aloe",
    .section = 1,
    .summary = "run software radios in time slots",
    .doc = doc,
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
