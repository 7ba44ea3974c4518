/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe - runs software radios in time slots. This is the table of its commands; help, the man page and completion follow from
 * it. */
#include "tools/aloe/bench/bench.h"
#include "tools/aloe/commands.h"

#define SOURCE_OPTIONS                                                                                        \
	{"set", 0, "INST.PARAM=V", NULL, true,                                                                \
	    "set a parameter, or `KEY=V` of the waveform; may be repeated"},                                  \
	    {"clock", 0, "CLOCK", "timer virtual step radio", false,                                          \
	        "timer (real time), virtual (as fast as it goes, same bits), step (when told) or radio (its " \
	        "samples)"},                                                                                  \
	    {"radio", 0, "FILE", "@file", false,                                                              \
	        "platform file whose group `radio` says which device that is"},                               \
	    {"lanes", 0, "CPU,CPU", NULL, false,                                                              \
	        "run on these CPUs, one lane each; default: as the plan says"},                               \
	    {"slot-us", 0, "T", NULL, false, "slot length in microseconds"},                                  \
	    {"copies", 0, "N", NULL, false,                                                                   \
	        "N independent copies of it in one waveform; {copy} in a text or path is the number"},        \
	    {"late", 0, "POLICY", "slip skip", false,                                                         \
	        "what lateness means: slip (later, never lost) or skip (in time or ABSENT)"},                 \
	    {"isolation", 0, "HOW", "waveform component none", false,                                         \
	        "one process a waveform, one an instance, or one shared by trusted waveforms"},               \
	    {"force", 0, NULL, NULL, false,                                                                   \
	        "load it even if it does not fit (admit = \"always\")"},                                      \
	{                                                                                                     \
		"pipelined", 0, NULL, NULL, false,                                                            \
		    "one slot on every link: more latency, more lanes of use"                                 \
	}

#define DIR_OPTION                                                                                  \
	{                                                                                           \
		"dir", 0, "DIR", "@dir", false,                                                     \
		    "runtime directory of the node; default $XDG_RUNTIME_DIR/aloe or /tmp/aloe-UID" \
	}
#define STATE_OPTION                                                                               \
	{                                                                                          \
		"state", 0, "DIR", "@dir", false,                                                  \
		    "where runs and profiles are kept; default ~/.local/state/aloe"                \
	}

static const struct cli_option node_options[] = {DIR_OPTION};
static const struct cli_option run_options[] = {
    {"slots", 's', "N", NULL, false,
        "every instance runs index 0 .. N-1; default: until a source ends or Ctrl-C"},
    SOURCE_OPTIONS,
    {"json", 0, NULL, NULL, false,
        "the report as one JSON object on standard output; notes go to standard error"},
    {"quiet", 'q', NULL, NULL, false, "print nothing but errors (and what --json asks for)"},
    {"strict", 0, NULL, NULL, false,
        "exit 3 when any slot was missed, slipped or skipped, or any message late or absent"},
    STATE_OPTION,
};
static const struct cli_option load_options[] = {
    {"slots", 's', "N", NULL, false, "every instance runs index 0 .. N-1"},
    SOURCE_OPTIONS,
    DIR_OPTION,
};
static const struct cli_option check_options[] = {SOURCE_OPTIONS};
static const struct cli_option plan_options[] = {
    SOURCE_OPTIONS,
    {"platform", 0, "NAME", "@file", false,
        "the machines to plan for: a file, the name of one, or local: this one, as if nothing were loaded; default: this "
        "one, "
        "with what the node that runs here has left"},
    {"why", 0, "INSTANCE", NULL, false,
        "tell what it would cost on every other lane, and what would break"},
    {"mapper", 0, "NAME", "tw1 tw2 tw3 tw1d tw2d tw3d greedy worst-fit chain local exact portfolio",
        false, "ask only this one, at 100 % of the capacity; default: all of them, and the best"},
    {"q", 0, "Q", NULL, false,
        "weight of processing against links in the cost of a mapping, 0 to 1; default 0.5"},
    {"json", 0, NULL, NULL, false, "as JSON"},
    DIR_OPTION,
    STATE_OPTION,
};
static const struct cli_option up_options[] = {
    {"foreground", 'f', NULL, NULL, false, "stay here, for systemd and for looking on"},
    DIR_OPTION,
    STATE_OPTION,
};
static const struct cli_option step_options[] = {
    {"count", 'n', "N", NULL, false, "so many slots; default 1"}, DIR_OPTION};
static const struct cli_option list_options[] = {
    {"json", 0, NULL, NULL, false, "as JSON"},
    {"names", 0, NULL, NULL, false, "only the names, one a line"},
    DIR_OPTION,
};
static const struct cli_option json_options[] = {
    {"json", 0, NULL, NULL, false, "as JSON"}, DIR_OPTION};
static const struct cli_option set_options[] = {
    {"at", 0, "INDEX", NULL, false,
        "apply before exactly this index; default: as soon as possible"},
    DIR_OPTION,
};
static const struct cli_option remap_options[] = {
    {"lanes", 0, "CPU,CPU", NULL, false, "on these CPUs, one lane each; default: as it was loaded"},
    {"pin", 0, "INST=LANE", NULL, true,
        "this instance on this lane, counted from 0; may be repeated"},
    DIR_OPTION,
};
static const struct cli_option watch_options[] = {
    {"interval", 'i', "MS", NULL, false, "how often, in milliseconds; default 1000"},
    {"count", 'n', "N", NULL, false, "so many times; default: until Ctrl-C"},
    {"json", 0, NULL, NULL, false, "as JSON"},
    DIR_OPTION,
};
static const struct cli_option doctor_options[] = {
    {"lanes", 0, "CPUS", NULL, false,
        "the CPUs that lanes are to have, as 1,3 or 1-3; default: all that this process may use"},
    {"seconds", 0, "N", NULL, false, "how long to measure, in all; 0: not at all; default 4"},
    {"apply", 0, NULL, NULL, false,
        "set what can be set while the machine runs, and write down what it was (root)"},
    {"revert", 0, NULL, NULL, false, "put back exactly what --apply has set (root)"},
    {"json", 0, NULL, NULL, false, "as JSON"},
    {"state", 0, "DIR", "@dir", false,
        "where it is written down what was set; default ~/.local/state/aloe"},
};
static const struct cli_option new_options[] = {
    {"cpp", 0, NULL, NULL, false, "in C++ instead of C"}};

static const char run_doc[] =
    "Starts a private node, loads and starts the waveform, shows a live table (on a terminal) or a line every two "
    "seconds, "
    "and prints the report when the waveform has ended. The first Ctrl-C stops the waveform: what was sent arrives, "
    "files "
    "are closed, the report is printed (exit 130); the second ends everything at once. Nothing is left running.\n\n"
    "With --clock step on a terminal, Enter runs one slot, a number so many, q stops; elsewhere it runs to the end.\n\n"
    "A waveform with clock = \"radio\", slot_samples and rate runs by the samples of a radio, which --radio names: a "
    "file with "
    "a group radio: { type = \"x310\"; transport = \"udp\"; address = \"192.168.40.2\"; tx_advance = 2560; }; or a "
    "list of two "
    "(all keys are told in core/waveform/radio.h). A slot begins when its last sample has come, and has the number "
    "that its "
    "time says: what is lost is absent where it would have been, and counted with what came late, either way.";
static const char check_doc[] =
    "All errors of the file in one run, each as `file:line: what was found, what is allowed`.";
static const char plan_doc[] =
    "Prints lanes, order, budgets, by when each starts in its slot, link distances, and the latency in slots and "
    "microseconds; which mapper won, what the others "
    "found, and what would be if: the shortest slot, the largest messages, which component to speed up first, how many "
    "cores it needs. Costs come from the profile of earlier runs of the same waveform, else from the components' own "
    "figures; the same input gives the same plan. What does not fit is refused (exit 2) with the reason in numbers and "
    "the nearest thing that would fit. While a node runs here, it is what that node has left that is planned with.\n\n"
    "A platform file describes machines that need not exist: nodes, cores, links (platforms/nodes/*.conf; the format "
    "is "
    "told in core/waveform/platform.h). Its cores are numbered from 0 through all nodes; --lanes names them.";
static const char up_doc[] =
    "Starts the daemons of this node in the background; they are started again if they die, "
    "and what runs goes on. `aloe down` ends them. The "
    "daemons' lines go to node.log in the state directory.";
static const char stop_doc[] =
    "What was sent still arrives, files are closed; the waveform stays for its report until it is unloaded.";
static const char set_doc[] =
    "Prints the index from which the new value holds. Several numbers, of any instances on any "
    "lanes, all hold from one index on. Only parameters that `aloe help TYPE` "
    "calls settable while running.\n\n"
    "An array is given as numbers with commas between, or as @FILE: numbers in text (white "
    "space or commas between them, # "
    "begins a comment), or raw 32-bit floats of this machine where the name ends in .f32. It "
    "is prepared beside the one in "
    "force and taken over whole, between two slots.";
static const char remap_doc[] =
    "The waveform goes on where it stood: every instance keeps its state and works on every index once, the output has "
    "the "
    "same bits, and others lose no slot. It stands still for a few slots and has the latency of the new plan, both of "
    "which "
    "are printed. Without options the manager maps it as at its load, by what the run has measured so far. A pin "
    "counts "
    "the lanes that the waveform has, or those of --lanes. What cannot be moved while it runs is refused, and "
    "nothing changes.";
static const char doctor_doc[] =
    "Tells of each thing on this machine that real time depends on whether it is good, fixable or not available "
    "here: what it is now, what it should be, why it matters, and how to get there. What ALOE does itself while it "
    "runs is no fault. Nothing is changed without --apply.\n\n"
    "Then it measures the CPUs of the lanes, by a loop that wakes by the timer and one that never sleeps, and tells "
    "how many slots of which length would be missed, of a lane that works half of its time. A CPU on which a lane "
    "runs now is left alone.\n\n"
    "--apply changes nothing for good: a restart of the machine undoes it, and so does --revert, which leaves alone, "
    "and names, what someone else has changed since. What takes CPUs away from others wants --lanes, with one left "
    "over.";
static const char new_doc[] =
    "Makes the folder NAME with a component, a Makefile that builds it against this "
    "installation, and a waveform to try it: "
    "`cd NAME && make run`.";

static const char bench_doc[] =
    "Each prints tables with the number of samples and the reference figures beside ours; "
    "longer ones show how far they "
    "are. Ctrl-C ends with what was measured so far (exit 130).";

static const struct cli_command commands[] = {
    {"run", "FILE", 1, 1, "@file", "run a waveform in a node of its own, and report", run_doc,
        CLI_LIST(run_options), aloe_run},
    {"check", "FILE", 1, 1, "@file", "check a waveform file, all errors at once", check_doc,
        CLI_LIST(check_options), aloe_check},
    {"plan", "FILE", 1, 1, "@file", "tell where and in what order it would run", plan_doc,
        CLI_LIST(plan_options), aloe_plan},
    {"up", "", 0, 0, NULL, "start a node that stays", up_doc, CLI_LIST(up_options), aloe_up},
    {"down", "", 0, 0, NULL, "end it, and all that runs in it", NULL, CLI_LIST(node_options),
        aloe_down},
    {"load", "FILE", 1, 1, "@file", "load a waveform into the node", NULL, CLI_LIST(load_options),
        aloe_load},
    {"start", "WAVEFORM", 1, 1, "@waveform", "start it, or go on after a pause", NULL,
        CLI_LIST(node_options), aloe_start},
    {"pause", "WAVEFORM", 1, 1, "@waveform", "hold it between two slots", NULL,
        CLI_LIST(node_options), aloe_pause},
    {"step", "WAVEFORM", 1, 1, "@waveform", "run one slot, then hold", NULL, CLI_LIST(step_options),
        aloe_step},
    {"stop", "WAVEFORM", 1, 1, "@waveform", "end it in good order", stop_doc,
        CLI_LIST(node_options), aloe_stop},
    {"unload", "WAVEFORM", 1, 1, "@waveform", "remove it from the node", NULL,
        CLI_LIST(node_options), aloe_unload},
    {"list", "[components]", 0, 1, "components",
        "list the loaded waveforms, or the components there are", NULL, CLI_LIST(list_options),
        aloe_list},
    {"status", "[WAVEFORM]", 0, 1, "@waveform", "report on a waveform as of now", NULL,
        CLI_LIST(json_options), aloe_status},
    {"top", "WAVEFORM", 1, 1, "@waveform", "the live table, until Ctrl-C", NULL,
        CLI_LIST(node_options), aloe_top},
    {"get", "WAVEFORM [INST[.VAR]]", 1, 2, "@waveform", "print variables and parameters", NULL,
        CLI_LIST(json_options), aloe_get},
    {"set", "WAVEFORM INST.PARAM=V ...", 2, 33, "@waveform", "set parameters while it runs",
        set_doc, CLI_LIST(set_options), aloe_set},
    {"remap", "WAVEFORM", 1, 1, "@waveform", "move it to other lanes while it runs", remap_doc,
        CLI_LIST(remap_options), aloe_remap},
    {"watch", "WAVEFORM INST[.VAR]", 2, 2, "@waveform", "print variables again and again", NULL,
        CLI_LIST(watch_options), aloe_watch},
    {"bench", "COMMAND", 0, 0, NULL, "measure this installation on this machine", bench_doc,
        {NULL, 0}, NULL, &bench_program},
    {"doctor", "", 0, 0, NULL,
        "tell what real time lacks on this machine, and the shortest slot it holds", doctor_doc,
        CLI_LIST(doctor_options), aloe_doctor},
    {"new", "component NAME", 2, 2, "component", "make the skeleton of a component", new_doc,
        CLI_LIST(new_options), aloe_new},
    {"help", "[COMMAND|TYPE]", 0, 1, "@type", "tell of a command, or of a component", NULL,
        {NULL, 0}, aloe_help},
    {"version", "", 0, 0, NULL, "print the version", NULL, {NULL, 0}, aloe_version},
};

static const char doc[] =
    "ALOE cuts time into slots. A waveform is a graph of components; every component runs exactly once a slot, one "
    "after "
    "another, on pinned cores. aloe checks waveform files, plans and runs them, and talks to a node that is up.";
static const struct cli_section sections[] = {
    {"EXIT STATUS",
        "  0    done\n  1    failed while running: a component or file error, a crash, no node\n"
        "  2    usage or configuration: the command line, the waveform file, something does not fit\n"
        "  3    with --strict: a slot or a message was not in time\n  130  stopped by Ctrl-C"},
    {"EXAMPLES",
        "  aloe run waveforms/utran384.conf\n  aloe run waveforms/utran384.conf --set noise.ebn0_db=1\n"
        "  aloe run bpsk.conf --clock virtual --slots 1000 --json\n"
        "  aloe up && aloe load bpsk.conf && aloe start bpsk && aloe top bpsk"},
    {"FILES",
        "  $XDG_RUNTIME_DIR/aloe/               sockets of the node that is up, else /tmp/aloe-UID\n"
        "  ~/.local/state/aloe/runs/            one folder a run: report.json, report.txt, plan.txt, waveform.conf\n"
        "  ~/.local/state/aloe/profiles/        measured costs\n"
        "  ~/.local/state/aloe/doctor.json      what aloe doctor --apply has changed, with what it was\n"
        "  ~/.local/lib/aloe/                   the user's own components, NAME.so and NAME.desc"},
    {"ENVIRONMENT",
        "ALOE_COMPONENTS: folders with components, separated by colons, searched first. "
        "ALOE_LOG: what the daemons say: error, warning, note (default) or debug. "
        "XDG_RUNTIME_DIR and XDG_STATE_HOME as usual."},
    {"SEE ALSO",
        "execinfo(1), comprun(1), aloe-frontend(8), aloe-exec(8), aloe-stats(8), aloe-swman(8), aloe-host(8)"},
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
