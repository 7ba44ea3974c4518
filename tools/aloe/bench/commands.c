/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of `aloe bench`; help, the man page and completion follow from it. */
#include "tools/aloe/bench/commands.h"

#include "tools/aloe/bench/bench.h"

#define SET_OPTION                                                                                 \
	{                                                                                          \
		"set", 0, "INST.PARAM=V", NULL, true,                                              \
		    "set a parameter of the waveform; may be repeated"                             \
	}
#define SIMD_OPTION                                                                                                   \
	{                                                                                                             \
		"simd", 0, "LEVEL,...", NULL, false,                                                                  \
		    "vector levels to compare: plain, sse41, avx2, avx512, neon; default: as ALOE_SIMD says, or the " \
		    "best"                                                                                            \
	}
#define ISOLATION_OPTION(default)                                                                  \
	{                                                                                          \
		"isolation", 0, "HOW,...", NULL, false,                                            \
		    "none, waveform, component; default: " default                                 \
	}
#define CPU_OPTION                                                                                 \
	{                                                                                          \
		"cpu", 0, "CPU", NULL, false, "the core; default: the first"                       \
	}
#define CLOCK_OPTION                                                                               \
	{                                                                                          \
		"clock", 0, "CLOCK", "timer virtual", false,                                       \
		    "timer (default), or virtual: slot after slot, for trials"                     \
	}

static const struct cli_option common_options[] = {
    {"json", 0, NULL, NULL, false, "everything as one JSON object on standard output"},
    {"markdown", 0, NULL, NULL, false, "tables and notes as Markdown, for a README"},
    {"table", 0, "KEY", NULL, true, "show this table only (its name in --json); may be repeated"},
    {"columns", 0, "KEY,...", NULL, false,
        "of each table that has any of these, show these only, in this order"},
    {"csv", 0, "FILE", "@file", false, "write the first table as CSV; - is standard output"},
    {"plot", 0, "FILE", "@file", false,
        "draw it: FILE.svg, FILE.png (by gnuplot), or FILE.gp, the script"},
    {"strict", 0, NULL, NULL, false, "exit 3 when a reference figure was not reached"},
    {"quiet", 'q', NULL, NULL, false, "no progress"},
};

#define CONTEST_OPTIONS(known)                                                                     \
	{"vs", 0, "NAME,...", NULL, false,                                                         \
	    "beside " known " (built by `make bench-peers` in the source)"},                       \
	    {"all", 0, NULL, NULL, false,                                                          \
	        "every set-up of every system takes part, not the best of each"},                  \
	    {"runs", 'r', "N", NULL, false, "of each system and size; default 20"},                \
	    {"trials", 0, "N", NULL, false,                                                        \
	        "of each set-up of a system, to find its best; default 2"},                        \
	{                                                                                          \
		"seed", 0, "N", NULL, false, "another random order; default 1"                     \
	}

static const struct cli_option bler_options[] = {
    {"waveform", 'w', "FILE", "@file", false,
        "with noise and bit_compare; default utran384-random.conf"},
    {"iterations", 'i', "N,...", NULL, false, "of the decoder; default 1,2,4,8"},
    {"scaling", 0, "S,...", NULL, false,
        "of the decoder's extrinsics, 0.01 .. 1; default: the waveform's"},
    {"ebn0", 0, "FROM:TO:STEP", NULL, false,
        "in dB; default: around the reference, in steps of 0.1"},
    {"errors", 0, "N", NULL, false, "enough block errors for a point; default 100"},
    {"blocks", 0, "N", NULL, false, "at most so many blocks for a point; default 20000"},
    {"seed", 0, "N", NULL, false, "other noise, other bits: 0 .. 8191; default 1"},
    SIMD_OPTION,
    SET_OPTION,
};

static const struct cli_option utran_options[] = {
    {"waveform", 'w', "FILE", "@file", false,
        "with utran_ components on both sides of noise; default utran384-random.conf"},
    {"seconds", 's', "S", NULL, false, "a round takes; default 5"},
    {"rounds", 'r', "N", NULL, false, "so many rounds of each level, in turn; default 3"},
    {"iterations", 'i', "N", NULL, false, "of the decoder; default: the waveform's"},
    {"clock", 0, "CLOCK", "timer virtual", false,
        "timer (default: a slot every 10 ms) or virtual (slot after slot)"},
    {"cpu", 0, "CPU", NULL, false, "the core; default: the first"},
    SIMD_OPTION,
    SET_OPTION,
};

static const char utran_doc[] =
    "Runs the bearer on one pinned core and tells what a call of each component takes (mean, median, 99th percentile, "
    "maximum, kMAC), what the transmit chain, the receive chain and the decoder take of a slot, and how that compares "
    "with what was published for ALOE: 3250 us for the chain, 1827.8 us of them in the decoder.";

static const struct cli_option copies_options[] = {
    {"seconds", 's', "S", NULL, false, "that the largest number must hold; default 60"},
    {"max", 'm', "N", NULL, false, "look no further; default 1000"},
    {"lanes", 'l', "N,...", NULL, false, "on so many lanes; default 1,2"},
    {"slot-us", 0, "T", NULL, false, "slot length in microseconds; default: the waveform's"},
    {"clock", 0, "CLOCK", "timer virtual", false,
        "timer (default), or virtual, where nothing is missed: cost only"},
    SIMD_OPTION,
    SET_OPTION,
};

static const char copies_doc[] =
    "Looks for the largest number of copies of a waveform that run on one lane, and on two, without a miss: doubling "
    "and "
    "halving in short runs, then runs of the whole time, to 2 %. Two figures: every miss counted; and those not "
    "counted "
    "that fall into a gap, a time in which a thread above all others did not get the core either. Prints what a copy "
    "costs against their number. On a machine whose cores are not shared with others, 60 s are about ten minutes a "
    "lane.";

static const struct cli_option map_options[] = {
    {"seeds", 0, "N", NULL, false, "problems 1 .. N, or FROM:TO; default 1000"},
    {"load", 0, "P,...", NULL, false, "of all cores together, in percent; default 80,88,93"},
    {"q", 0, "Q", NULL, false, "0: only links cost, 1: only processing; default 0.5"},
    {"steps", 0, "N", NULL, false, "the exact mapper gives up after so many; default 50000000"},
    {"units", 0, "N", NULL, false, "components of the large problem, 0: none; default 1000"},
    {"cores", 0, "N", NULL, false, "of the large problem; default 100"},
};

static const struct cli_option predict_options[] = {
    {"waveform", 'w', "FILE", "@file", false,
        "with utran_ components; default utran384-random.conf"},
    {"rounds", 'r', "N", NULL, false, "so many rounds of each kind, in turn; default 12"},
    {"seconds", 's', "S", NULL, false, "of slots in a round, on the virtual clock; default 5"},
    {"cpu", 0, "CPU", NULL, false, "the core; default: the first"},
    {"keep", 0, "DIR", "@dir", false,
        "write what was measured there: KIND.rates.json, KIND.profile.json"},
    {"from", 0, "DIR", "@dir", false, "measure nothing, predict from what was kept there"},
};

static const char predict_doc[] =
    "Tells the time of each UTRAN component on one kind of node from that on another, and how wrong that is: by the "
    "clock, "
    "by the single metric of MAC-equivalents, and by classes of work, as plans use profiles of other machines. Kinds "
    "are "
    "vector levels, a build without optimisation (make o0), and code for aarch64 under an emulator (make aarch64), "
    "which is "
    "labelled so and in no mean but its own. A prediction uses no time of a component on its target: without "
    "KIND.profile.json of the target, --from predicts the same.";

static const char map_doc[] =
    "Makes random mapping problems, lets the exact mapper find the cheapest mapping of each, or the proof that there "
    "is "
    "none, and tells of every other mapper, and of the portfolio that plans are made with, how many of the feasible "
    "problems it solves, how much dearer than need be, and in what time. Then one large problem. The same seeds are "
    "the "
    "same problems everywhere.";

static const char bler_doc[] =
    "Runs the waveform in virtual time, one run on each CPU at a time, with other noise and bits in each, until every "
    "point has enough block errors. The same command counts the same on every machine; levels and iterations see the "
    "same noise. Prints rates with 95 % confidence intervals, and the Eb/N0 at which the block error rate crosses 0.1 "
    "and 0.01 beside the reference, if there is one (K = 3856, 1, 2, 4 or 8 iterations). Ctrl-C ends it with what was "
    "measured so far.";

static const struct cli_option table1_options[] = {
    {"samples", 'n', "N", NULL, false, "slots of each run; default 100"},
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char table1_doc[] =
    "The table of the papers: execution times of the UTRAN chain of 384 kbit/s, mean and "
    "maximum of 100 slots of 10 ms, in "
    "microseconds and kMAC, beside what was published. As the first interleaver is the "
    "identity at 10 ms, a row of 20 ms "
    "is added. Takes about ten seconds.";

static const struct cli_option hist_options[] = {
    {"samples", 'n', "N", NULL, false,
        "calls; default 10000, which takes 100 s for each of two runs"},
    ISOLATION_OPTION("waveform"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char hist_doc[] =
    "Figure 1 of the papers: how 10000 execution times of the first interleaver and of the turbo decoder of the UTRAN "
    "chain "
    "are distributed. The first interleaver of a TTI of 20 ms, which has something to do, is added.";

static const struct cli_option bpsk_options[] = {
    {"slot-us", 0, "T,...", NULL, false,
        "slot lengths; default 100,200,500,1000,2000,5000,10000,20000"},
    {"lanes", 'l', "N,...", NULL, false, "on so many lanes; default 1,2"},
    {"slots", 's', "N", NULL, false, "of each of the three runs that must hold; default 1000"},
    {"runs", 'r', "N", NULL, false, "that must hold; default 3"},
    {"max", 'm', "BITS", NULL, false, "look no further; default 16777216"},
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char bpsk_doc[] =
    "Figure 2 of the papers: the largest packet of source -> modulator -> demodulator -> "
    "sink that is stable, and what it "
    "makes of bits a second, against the slot length, on one lane and two. Stable: three "
    "runs of 1000 slots without a miss. "
    "Found by doubling and halving in short runs, then by whole runs, to 2.2 %. Two "
    "figures: every miss counted; and those "
    "not counted that fall into a gap, a time in which a core with nothing else to do stood "
    "still too. Takes about half an "
    "hour.";

static const struct cli_option link_options[] = {
    {"samples", 'n', "N", NULL, false, "messages of the first length; default 100000"},
    {"each", 'e', "N", NULL, false, "messages of every other length; default 10000"},
    {"bits", 'b', "N,...", NULL, false, "lengths; default 100000, then 64 to 10000000"},
    {"slot-us", 0, "T", NULL, false,
        "slot length; default: 250 and what copying the message may take"},
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char link_doc[] =
    "Figures 3 and 4 of the papers: what it takes to send a message over a link and to receive it, each by a copy of "
    "the "
    "whole message, together, against its length; and the same in place, as ALOE's links are meant to be used. Takes "
    "about eight minutes.";

static const struct cli_option overhead_options[] = {
    {"samples", 'n', "N", NULL, false, "slots of each chain; default 100000"},
    {"rounds", 'r', "N", NULL, false, "in so many rounds; default 5"},
    {"components", 'c', "N,...", NULL, false, "in the chain; default 3,10,50,200"},
    {"slot-us", 0, "T,...", NULL, false,
        "slot lengths to compare; default 100,200,500,1000,2000,5000,10000,20000"},
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    CONTEST_OPTIONS("jack"),
    {"seconds", 's', "S", NULL, false, "a run takes, with --vs; default 2"},
    SIMD_OPTION,
};

static const char overhead_doc[] =
    "Figures 5 and 6 of the papers: what a slot costs beside the components' work, T_base + N x T_module. Chains of "
    "components "
    "that hardly do anything are timed, a line is fitted, and held against what the event rings say directly. Then the "
    "overhead of ten components against the slot length. Takes about seven minutes. With --vs jack: the hand-over from "
    "one component to the next beside that of JACK's clients, as `handover` has it.";

static const struct cli_option memory_options[] = {
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char memory_doc[] =
    "Table III of the papers: what memory each process of a running waveform has for "
    "itself, and what it shares; and what one "
    "more instance takes. Without FILE: the UTRAN chain. Takes about ten seconds.";

static const struct cli_option pipes_options[] = {
    {"sizes", 0, "N,...", NULL, false, "N pipes of N stages; default 1 .. 10 and 20"},
    {"items", 'n', "N", NULL, false, "floats that go through; default 1e8"},
    {"slot-items", 0, "N,...", NULL, false,
        "of them in a slot; default: three messages fit into the first cache; of several the first is compared, and "
        "throughput against them is shown and drawn"},
    {"check", 0, NULL, NULL, false,
        "numbered floats: look at every one in every sink, measure nothing"},
    CONTEST_OPTIONS("gnuradio, futuresdr"),
    SIMD_OPTION,
};

static const char pipes_doc[] =
    "The benchmark of schedulers by Bloessl and others: one null source and one head feed N pipes of N stages, each of "
    "which copies floats. Every system takes part with its best set-up of priority, pinning and lanes, which trials "
    "find at each size; then come rounds in which each does every size once, in random order. Prints means with 95 % "
    "intervals, says where the runs fall into two groups, and the ratios of the pairs of each round. With both peers "
    "this takes about half an hour. `--sizes 2,5,10 --slot-items 256,512,1024,2048,3072,3840,5120,8192` shows where "
    "the "
    "default comes from.";

static const struct cli_option messages_options[] = {
    {"sizes", 0, "N,...", NULL, false, "N pipes of N stages; default 1 .. 10 and 20"},
    {"items", 'n', "N", NULL, false, "packets of 500 bytes that go through; default 1e5"},
    {"packets", 0, "N,...", NULL, false,
        "of them in a slot; default 20; of several the first is compared"},
    {"check", 0, NULL, NULL, false, "look at every byte in every sink, measure nothing"},
    CONTEST_OPTIONS("gnuradio"),
    SIMD_OPTION,
};

static const char messages_doc[] =
    "As `pipes`, but with packets of 500 bytes that are queued before the start, and one that says \"done\" after "
    "them. Every stage takes and sends on each packet by itself, with its own length and number. GNU Radio takes hours "
    "of it at the default; `--items 1e4` tells nearly the same.";

static const struct cli_option chain_options[] = {
    {"seconds", 's', "S", NULL, false, "a run takes; default 2"},
    CONTEST_OPTIONS("gnuradio"),
    SIMD_OPTION,
};

static const char chain_doc[] =
    "A vector of 1000 floats every ms through ten copies on one lane: p50, p99 and maximum of the time "
    "from when it is emitted to when the sink has it. Takes three minutes, beside GNU Radio five.";

static const struct cli_option throughput_options[] = {
    {"items", 'n', "N", NULL, false, "bits that go through; default 5e7"},
    CONTEST_OPTIONS("gnuradio"),
    SIMD_OPTION,
};

static const char throughput_doc[] =
    "Bytes become bits, bits BPSK symbols, these are decided, and the bits become bytes, as fast as it goes. Takes "
    "about a minute.";

static const struct cli_option handover_options[] = {
    {"seconds", 's', "S", NULL, false, "a run takes; default 2"},
    CONTEST_OPTIONS("jack"),
    SIMD_OPTION,
};

static const char handover_doc[] =
    "What it takes to go from one component to the next, all in one process, and each in one of its own; "
    "and from one client of JACK to the next. Takes three minutes, beside JACK five.";

static const struct cli_option x310_options[] = {
    {"seconds", 's', "S", NULL, false,
        "each stretch that is shown; default 2, about four minutes in all"},
    {"systems", 0, "NAME,...", NULL, false,
        "loop-udp, loop-dpdk, uhd, uhd-dpdk, aloe-udp, aloe-dpdk; default: all"},
    SIMD_OPTION,
};

static const char x310_doc[] =
    "Table I and Figure 4 of the paper on low-latency processing with X310s (Engelhardt et al. 2022), for this "
    "machine: samples "
    "go from a simulated device (x310sim, on the last CPU) through a host (on the first) and back, by a bare loop, by "
    "UHD, and by "
    "ALOE's waveforms x310-passthrough and x310-channel; over kernel UDP, and past the kernel over DPDK's memif. The "
    "fastest rate "
    "that each holds, the shortest time from antenna to antenna, and the packets' delay in the host.";

static const struct cli_option x310_recovery_options[] = {
    {"spp", 0, "N", NULL, false, "samples per packet, 16 .. 1996; default 256"},
    {"wire-us", 0, "US", NULL, false, "one way; default 2"},
    {"advance-us", 0, "US", NULL, false,
        "packets leave so long before they are to be played; default 20"},
};

static const char x310_recovery_doc[] =
    "One packet to an X310 is lost, late, there twice, or swapped with the next: "
    "what a device does then, and what each way "
    "of recovery costs: round trips, packets discarded, silent samples, samples in "
    "the wrong place, and the slip in time that "
    "stays. The published recovery, the shortest that the protocol allows, and "
    "none. In simulated time, with ALOE's protocol "
    "and x310sim's device.";

static const struct cli_command commands[] = {
    {"bler", "", 0, 0, NULL, "block and bit error rates over Eb/N0", bler_doc,
        CLI_LIST(bler_options), bench_bler},
    {"bpsk", "", 0, 0, NULL, "the largest packet that a slot holds, against its length", bpsk_doc,
        CLI_LIST(bpsk_options), bench_bpsk},
    {"chain", "", 0, 0, NULL, "how late ten copies deliver what goes in every ms, beside others",
        chain_doc, CLI_LIST(chain_options), bench_chain},
    {"copies", "[FILE]", 0, 1, "@file", "how many copies of a waveform a lane holds", copies_doc,
        CLI_LIST(copies_options), bench_copies},
    {"handover", "", 0, 0, NULL, "from one component to the next, beside JACK", handover_doc,
        CLI_LIST(handover_options), bench_handover},
    {"hist", "", 0, 0, NULL, "how execution times are distributed", hist_doc,
        CLI_LIST(hist_options), bench_hist},
    {"link", "", 0, 0, NULL, "a message from one component into another", link_doc,
        CLI_LIST(link_options), bench_link},
    {"predict", "", 0, 0, NULL, "how well times are told from one kind of node to another",
        predict_doc, CLI_LIST(predict_options), bench_predict},
    {"map", "", 0, 0, NULL, "how many mapping problems the mappers solve", map_doc,
        CLI_LIST(map_options), bench_map},
    {"memory", "[FILE]", 0, 1, "@file", "what each process and each instance takes of memory",
        memory_doc, CLI_LIST(memory_options), bench_memory},
    {"messages", "", 0, 0, NULL, "packets through pipes x stages, beside other schedulers",
        messages_doc, CLI_LIST(messages_options), bench_messages},
    {"overhead", "", 0, 0, NULL, "what a slot costs beside the components' work", overhead_doc,
        CLI_LIST(overhead_options), bench_overhead_vs},
    {"pipes", "", 0, 0, NULL, "floats through pipes x stages, beside other schedulers", pipes_doc,
        CLI_LIST(pipes_options), bench_pipes},
    {"table1", "", 0, 0, NULL, "execution times of the UTRAN chain", table1_doc,
        CLI_LIST(table1_options), bench_table1},
    {"throughput", "", 0, 0, NULL, "bits a second through a BPSK chain, beside others",
        throughput_doc, CLI_LIST(throughput_options), bench_throughput},
    {"utran", "", 0, 0, NULL, "what the UTRAN bearer takes of a slot, component by component",
        utran_doc, CLI_LIST(utran_options), bench_utran},
    {"x310", "", 0, 0, NULL, "samples from a radio and back to it, by whom and how fast", x310_doc,
        CLI_LIST(x310_options), bench_x310},
    {"x310-recovery", "", 0, 0, NULL, "what a packet to the radio that goes wrong costs",
        x310_recovery_doc, CLI_LIST(x310_recovery_options), bench_x310_recovery},
};

static const char doc[] =
    "Measures on this machine, with the programs of this installation, and prints what is known from elsewhere beside "
    "it.";

const struct cli_program bench_program = {
    .name = "aloe bench",
    .section = 1,
    .summary = "measure this installation on this machine",
    .doc = doc,
    .options = CLI_LIST(common_options),
    .commands = CLI_LIST(commands),
};
