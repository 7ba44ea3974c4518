/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe-bench - measures this installation on this machine. This is the table of its commands; help,
 * the man page and completion follow from it. */
#include "tools/bench/bench.h"
#include "tools/bench/commands.h"
#include "tools/bench/x310loop/command.h"

#define SET_OPTION                                                                                 \
	{                                                                                          \
		"set", 0, "INST.PARAM=V", NULL, true,                                              \
		    "set a parameter of the waveform; may be repeated"                             \
	}
#define SIMD_OPTION                                                                                \
	{                                                                                          \
		"simd", 0, "LEVEL,...", NULL, false,                                               \
		    "vector levels to compare: plain, sse41, avx2, avx512, neon; default: the "    \
		    "level in ALOE_SIMD, or the best level"                                        \
	}
#define ISOLATION_OPTION(default)                                                                  \
	{                                                                                          \
		"isolation", 0, "HOW,...", NULL, false,                                            \
		    "isolations to compare: none, waveform, component; default: " default          \
	}
#define CPU_OPTION                                                                                 \
	{                                                                                          \
		"cpu", 0, "CPU", NULL, false, "CPU to run on; default: the first CPU"              \
	}
#define CLOCK_OPTION                                                                               \
	{                                                                                          \
		"clock", 0, "CLOCK", "timer virtual", false,                                       \
		    "timer (default) or virtual (slot after slot, for trials)"                     \
	}

static const struct cli_option common_options[] = {
    {"json", 0, NULL, NULL, false, "print everything as one JSON object on standard output"},
    {"markdown", 0, NULL, NULL, false, "print tables and notes as Markdown"},
    {"table", 0, "KEY", NULL, true, "show only the table KEY, as named in --json; may be repeated"},
    {"columns", 0, "KEY,...", NULL, false,
        "show only these columns, in this order, of each table that has any of these columns"},
    {"csv", 0, "FILE", "@file", false, "write the first table as CSV; - is standard output"},
    {"plot", 0, "FILE", "@file", false,
        "draw the result with gnuplot as FILE.svg or FILE.png, or write the script FILE.gp"},
    {"strict", 0, NULL, NULL, false, "exit with status 3 if a reference figure was not reached"},
    {"quiet", 'q', NULL, NULL, false, "print no progress"},
};

#define CONTEST_OPTIONS(known)                                                                     \
	{"vs", 0, "NAME,...", NULL, false,                                                         \
	    "compare with " known "; `make bench-peers` in the source builds the peers"},          \
	    {"all", 0, NULL, NULL, false,                                                          \
	        "measure every set-up of every system, not only the best set-up"},                 \
	    {"runs", 'r', "N", NULL, false,                                                        \
	        "number of runs of each system and size; default "                                 \
	        "20"},                                                                             \
	    {"trials", 0, "N", NULL, false,                                                        \
	        "number of trials of each set-up of a system, to find the best set-up; default "   \
	        "5"},                                                                              \
	{                                                                                          \
		"seed", 0, "N", NULL, false, "seed of the random order; default 1"                 \
	}

static const struct cli_option bler_options[] = {
    {"waveform", 'w', "FILE", "@file", false,
        "waveform with noise and bit_compare; default utran384-random.conf"},
    {"iterations", 'i', "N,...", NULL, false,
        "iterations of the decoder to compare; default "
        "1,2,4,8"},
    {"scaling", 0, "S,...", NULL, false,
        "scalings of the decoder's extrinsics to compare, 0.01 .. 1; default: the scaling in the "
        "waveform"},
    {"ebn0", 0, "FROM:TO:STEP", NULL, false,
        "range of Eb/N0 in dB; default: around the reference, in steps of 0.1"},
    {"errors", 0, "N", NULL, false, "number of block errors that ends a point; default 100"},
    {"blocks", 0, "N", NULL, false, "largest number of blocks for a point; default 20000"},
    {"seed", 0, "N", NULL, false, "seed of noise and bits, 0 .. 8191; default 1"},
    SIMD_OPTION,
    SET_OPTION,
};

static const struct cli_option utran_options[] = {
    {"waveform", 'w', "FILE", "@file", false,
        "waveform with utran_ components on both sides of noise; default utran384-random.conf"},
    {"seconds", 's', "S", NULL, false, "duration of a round in seconds; default 5"},
    {"rounds", 'r', "N", NULL, false, "number of rounds of each level, in turn; default 3"},
    {"iterations", 'i', "N", NULL, false,
        "iterations of the decoder; default: the number in the "
        "waveform"},
    {"clock", 0, "CLOCK", "timer virtual", false,
        "timer (default: a slot every 10 ms) or virtual (slot after slot)"},
    {"cpu", 0, "CPU", NULL, false, "CPU to run on; default: the first CPU"},
    SIMD_OPTION,
    SET_OPTION,
};

static const char utran_doc[] =
    "Runs the bearer on one pinned core and prints the time of a call of each component (mean, "
    "median, 99th percentile, maximum, kMAC) and the share of the transmit chain, the receive "
    "chain and the decoder in a slot. Beside each stands what the same chain takes slot after slot "
    "in the same round, which is the limit, and the share of it that is reached. The published "
    "figures of ALOE stand beside the results: 3250 us for the chain, of which the decoder takes "
    "1827.8 us.";

static const struct cli_option copies_options[] = {
    {"seconds", 's', "S", NULL, false, "duration in seconds of a run without a miss; default 60"},
    {"max", 'm', "N", NULL, false, "largest number of copies to try; default 1000"},
    {"lanes", 'l', "N,...", NULL, false, "numbers of lanes to compare; default 1,2"},
    {"slot-us", 0, "T", NULL, false,
        "slot length in microseconds; default: the slot length of the "
        "waveform"},
    {"clock", 0, "CLOCK", "timer virtual", false,
        "timer (default) or virtual (no slot is missed, so only the cost is measured)"},
    SIMD_OPTION,
    SET_OPTION,
};

static const char copies_doc[] =
    "Searches for the largest number of copies of a waveform that run without a miss on one lane "
    "and on two lanes. Short runs double and halve the number; full runs then find the number "
    "within 2 %. Two numbers are printed: the first number counts every miss; the second number "
    "does not count misses in a gap, a time in which even a thread of higher priority did not get "
    "the core. The cost of a copy is printed for each number of copies. If one call can serve "
    "several copies of a component (the turbo decoder), all is measured twice, with copies side by "
    "side and one after the other; with --set side_by_side=... only so. On a machine whose cores "
    "are not shared, the default of 60 s takes about ten minutes per lane.";

static const struct cli_option growth_options[] = {
    {"instances", 0, "N,...", NULL, false,
        "instances of one waveform, 3 .. 20000; default 10,100,1000,10000"},
    {"waveforms", 0, "N,...", NULL, false,
        "waveforms of three instances on one node, 1 .. 1024; default 1,10,100,1000"},
    {"slots", 0, "N", NULL, false, "length of a run in slots; default 5000"},
    {"runs", 0, "N", NULL, false,
        "runs on the timer whose first slot is timed, 0 .. 101; default 15"},
};

static const char growth_doc[] =
    "Loads, runs and unloads waveforms of more and more instances, and more and more waveforms of "
    "three instances, on the virtual clock, each row on a node of its own. Prints the seconds that "
    "the commands load and unload take, the time of a slot and instance, and the memory of the "
    "node. Before that, prints how long after the command `aloe run` the first slot of a small "
    "waveform begins. The default takes several minutes.";

static const struct cli_option map_options[] = {
    {"seeds", 0, "N", NULL, false,
        "number of problems N, or the range FROM:TO of seeds; default "
        "1000"},
    {"load", 0, "P,...", NULL, false, "load of all cores together in percent; default 80,88,93"},
    {"q", 0, "Q", NULL, false,
        "weight of processing against links in the cost, from 0 to 1; "
        "default 0.5"},
    {"steps", 0, "N", NULL, false,
        "number of steps after which the exact mapper gives up; default "
        "50000000"},
    {"units", 0, "N", NULL, false,
        "number of components of the large problem, 0 for no large "
        "problem; default 1000, with --published 160"},
    {"cores", 0, "N", NULL, false,
        "number of cores of the large problem, with --published of each kind; default 100, with "
        "--published 160"},
    {"published", 0, NULL, NULL, false,
        "map chains to cores of two kinds instead, beside published schedulers"},
    {"cases", 0, "DIR", "@dir", false,
        "with --published: folder with simulation_scenarios.csv and simulation_results.csv of the "
        "published cases, instead of random chains"},
};

static const struct cli_option predict_options[] = {
    {"waveform", 'w', "FILE", "@file", false,
        "waveform with utran_ components; default utran384-random.conf"},
    {"rounds", 'r', "N", NULL, false, "number of rounds of each kind, in turn; default 12"},
    {"seconds", 's', "S", NULL, false,
        "duration of a round in seconds of slots on the virtual "
        "clock; default 5"},
    {"cpu", 0, "CPU", NULL, false, "CPU to run on; default: the first CPU"},
    {"keep", 0, "DIR", "@dir", false,
        "write the measurements to DIR as KIND.rates.json and KIND.profile.json"},
    {"from", 0, "DIR", "@dir", false,
        "measure nothing and predict from the measurements that "
        "--keep has written to DIR"},
};

static const char predict_doc[] =
    "Predicts the time of each UTRAN component on one kind of node from the time on another kind, "
    "and prints the error of the prediction: by the clock, by the single metric of "
    "MAC-equivalents, and by classes of work, as plans do with profiles of other machines. Kinds "
    "are vector levels, a build without optimisation (make o0), and code for aarch64 under an "
    "emulator (make aarch64); the emulator is labelled and has a mean of its own. A prediction "
    "uses no time that was measured on the target kind: without KIND.profile.json of the target, "
    "--from predicts the same.";

static const char map_doc[] =
    "Makes random mapping problems. The exact mapper finds the cheapest mapping of each problem or "
    "proves that no mapping exists. For every other mapper, and for the portfolio that plans use, "
    "the command prints how many feasible problems the mapper solves, how the cost compares with "
    "the cheapest mapping, and how long the mapper takes. One large problem follows. The same "
    "seeds give the same problems on every machine.\n\n"
    "With --published the command maps a DVB-S2 receiver of 23 tasks, and random chains, to cores "
    "of two kinds, and prints period, cores and time to solve beside the published schedulers "
    "HeRAD, 2CATAC, FERTAC and OTAC; then long chains (--units tasks on --cores cores of each "
    "kind), and the same on two nodes with a link between them. --seeds counts the "
    "chains of each of the nine kinds.";

static const char bler_doc[] =
    "Runs the waveform in virtual time, one run on each CPU at a time, each run with noise and "
    "bits of its own, until every point has enough block errors. The same command gives the same "
    "counts on every machine; levels and iterations get the same noise. Prints rates with 95 % "
    "confidence intervals, and the Eb/N0 at which the block error rate crosses 0.1 and 0.01, "
    "beside the reference if a reference is known (K = 3856, 1, 2, 4 or 8 iterations). Ctrl-C ends "
    "the command and prints the results so far.";

static const struct cli_option table1_options[] = {
    {"samples", 'n', "N", NULL, false, "number of slots of each run; default 100"},
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char table1_doc[] =
    "Table of the papers: execution times of the UTRAN chain of 384 kbit/s, mean and maximum of "
    "100 slots of 10 ms, in microseconds and kMAC, beside the published times. The first "
    "interleaver does nothing at 10 ms, so a row for 20 ms is added. Takes about ten seconds.";

static const struct cli_option hist_options[] = {
    {"samples", 'n', "N", NULL, false,
        "number of calls; default 10000, which takes 100 s for each of two runs"},
    ISOLATION_OPTION("waveform"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char hist_doc[] =
    "Figure 1 of the papers: the distribution of 10000 execution times of the first interleaver "
    "and of the turbo decoder of the UTRAN chain. The first interleaver does nothing at 10 ms, so "
    "the first interleaver of a TTI of 20 ms is added.";

static const struct cli_option bpsk_options[] = {
    {"slot-us", 0, "T,...", NULL, false,
        "slot lengths in microseconds; default 100,200,500,1000,2000,5000,10000,20000"},
    {"lanes", 'l', "N,...", NULL, false, "numbers of lanes to compare; default 1,2"},
    {"slots", 's', "N", NULL, false, "number of slots of each full run; default 1000"},
    {"runs", 'r', "N", NULL, false, "number of full runs that must not miss a slot; default 3"},
    {"max", 'm', "BITS", NULL, false, "largest packet to try in bits; default 16777216"},
    {"pairs", 0, "N", NULL, false,
        "pairs of runs that compare two lanes with one, with replicas and without; default 10"},
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char bpsk_doc[] =
    "Figure 2 of the papers: the largest stable packet of source -> modulator -> demodulator -> "
    "sink, and its bit rate, for each slot length, on one lane and on two lanes. A packet is "
    "stable if three runs of 1000 slots miss no slot. Short runs double and halve the packet; full "
    "runs then find the packet within 2.2 %. Two results are printed: the first result counts "
    "every miss; the second result does not count misses in a gap, a time in which an idle core "
    "stood still too. Then the packet of one lane is run slot after slot, on one lane and on two, "
    "without replicas and with them, beside a loop that only copies, on one core and on two: what "
    "that loop gains is the limit. Takes about half an hour.";

static const struct cli_option lengths_options[] = {
    {"rounds", 'r', "N", NULL, false, "number of rounds; default 20"},
    CPU_OPTION,
    SIMD_OPTION,
};

static const char lengths_doc[] =
    "Runs every component for UTRAN, modems and channels with messages of three lengths: about n, "
    "4 n and 2 n bytes. Predicts the time of a call at the third length from the other two, as "
    "plans do (first + bytes x marginal), and prints the prediction over the measured time, median "
    "of 20 rounds; the reach is 10 %. The last column but two is the prediction in proportion to "
    "one length, as plans have it after a single run. Takes about a minute.";

static const struct cli_option link_options[] = {
    {"samples", 'n', "N", NULL, false, "number of messages of the first length; default 100000"},
    {"each", 'e', "N", NULL, false, "number of messages of every other length; default 10000"},
    {"bits", 'b', "N,...", NULL, false,
        "message lengths in bits; default 100000, then 64 to "
        "10000000"},
    {"slot-us", 0, "T", NULL, false,
        "slot length in microseconds; default: 250 and the time that copying the message may take"},
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char link_doc[] =
    "Figures 3 and 4 of the papers: the time to send a message over a link and to receive the "
    "message, for each length, where sender and receiver copy the whole message; and the time "
    "without copies, as ALOE uses links. Takes about eight minutes.";

static const struct cli_option overhead_options[] = {
    {"samples", 'n', "N", NULL, false, "number of slots of each chain; default 100000"},
    {"rounds", 'r', "N", NULL, false, "number of rounds; default 5"},
    {"components", 'c', "N,...", NULL, false,
        "numbers of components in the chain; default "
        "3,10,50,200"},
    {"slot-us", 0, "T,...", NULL, false,
        "slot lengths to compare in microseconds; default "
        "100,200,500,1000,2000,5000,10000,20000, with --daemons or --web 10000,1000"},
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    {"daemons", 0, NULL, NULL, false, "measure the daemons of a node instead of components"},
    {"web", 0, NULL, NULL, false, "measure what it costs that clients look at the dashboard"},
    {"slots", 0, "N", NULL, false,
        "number of slots of each measurement with --daemons, default 10000; or of each round with "
        "--web, default: as many as take 5 s"},
    CONTEST_OPTIONS("jack"),
    {"seconds", 's', "S", NULL, false, "duration of a run with --vs in seconds; default 2"},
    SIMD_OPTION,
};

static const char overhead_doc[] =
    "Figures 5 and 6 of the papers: the cost of a slot beside the work of the components, T_base + "
    "N x T_module. The command measures chains of components that do almost nothing, fits a line, "
    "and compares the line with the direct measurement of the event rings. The overhead of ten "
    "components for each slot length follows. Takes about seven minutes. --vs jack compares the "
    "hand-over from one component to the next with JACK, as the command handover does.\n"
    "\n"
    "--daemons measures Table II of the papers: the CPU time that each daemon of a node takes for "
    "a slot and how often the daemon wakes up, in slots of 10 ms and of 1 ms, with the daemons on "
    "the CPU of the lane and on another CPU; for one node without peers, for a node with an idle "
    "bridge, and for a node whose bridge carries a message in each slot. The reach is 3 us a slot "
    "for all daemons of one node without peers. Takes about eleven minutes.\n"
    "\n"
    "--web measures the dashboard: what a slot takes while nobody looks, while one client looks "
    "and while four do, in pairs of rounds; the share of a core that aloe-statsman takes, and what "
    "a client with one signal is sent. The reach is 1 % of a core and 200 kbit/s. Takes about four "
    "minutes.";

static const struct cli_option memory_options[] = {
    ISOLATION_OPTION("all three"),
    CPU_OPTION,
    CLOCK_OPTION,
    SIMD_OPTION,
};

static const char memory_doc[] =
    "Table III of the papers: the private and the shared memory of each process of a running "
    "waveform, and the memory of one more instance. Without FILE the waveform is the UTRAN chain. "
    "Takes about ten seconds.";

static const struct cli_option pipes_options[] = {
    {"sizes", 0, "N,...", NULL, false,
        "numbers of pipes and stages (N pipes of N stages); default "
        "1 .. 10 and 20"},
    {"items", 'n', "N", NULL, false, "number of floats that pass the pipes; default 1e8"},
    {"slot-items", 0, "N,...", NULL, false,
        "numbers of floats in a slot; default: three messages fit into the first cache; the first "
        "number is compared with the other systems, and with several numbers the throughput of "
        "each is shown and drawn"},
    {"check", 0, NULL, NULL, false,
        "send numbered floats and check every float in every sink; measure nothing"},
    CONTEST_OPTIONS("gnuradio, futuresdr"),
    SIMD_OPTION,
};

static const char pipes_doc[] =
    "The benchmark of schedulers by Bloessl and others: one null source and one head feed N pipes "
    "of N stages, and each stage copies floats. A source for each lane, or for each pipe of a "
    "peer, is one of the set-ups, and a bare loop that makes the same copies takes part as the "
    "limit. For each size, trials find the best set-up of "
    "priority, pinning and lanes of every system. Rounds follow, in which every system runs every "
    "size once, in random order. Prints means with 95 % intervals, the sizes at which the runs "
    "fall into two groups, and the ratios of the pairs of each round. With both peers this takes "
    "about 40 minutes, half of it for trials of 28 set-ups at each size. `--sizes 2,5,10 "
    "--slot-items 256,512,1024,2048,3072,3840,5120,8192` shows the origin of the default of "
    "--slot-items.";

static const char draw_doc[] =
    "Draws the picture of a RESULT that a benchmark printed with --json, without measuring again, "
    "with --plot FILE.svg, FILE.png or FILE.gp.";

static const struct cli_option messages_options[] = {
    {"sizes", 0, "N,...", NULL, false,
        "numbers of pipes and stages (N pipes of N stages); default "
        "1 .. 10 and 20"},
    {"items", 'n', "N", NULL, false,
        "number of packets of 500 bytes that pass the pipes; default "
        "1e5"},
    {"packets", 0, "N,...", NULL, false,
        "numbers of packets in a slot; default 20; the first number is compared with the other "
        "systems"},
    {"check", 0, NULL, NULL, false, "check every byte in every sink; measure nothing"},
    CONTEST_OPTIONS("gnuradio"),
    SIMD_OPTION,
};

static const char messages_doc[] =
    "As the command pipes, but with packets of 500 bytes, which are queued before the start, and a "
    "last packet \"done\". Every stage handles each packet separately, with length and number. GNU "
    "Radio takes hours with the default; `--items 1e4` gives nearly the same result.";

static const struct cli_option bridge_options[] = {
    {"bytes", 'b', "N,...", NULL, false,
        "message lengths in bytes; default 100,1000,10000,30000,100000"},
    {"ways", 0, "NAME,...", NULL, false,
        "ways to measure: tcp, udp, zeromq, zeromq_curve, udp_sealed, bridge_tcp, bridge_curve, "
        "bridge_udp; default: all ways"},
    {"seconds", 's', "S", NULL, false, "duration of each measurement in seconds; default 0.5"},
    {"rounds", 'r', "N", NULL, false, "number of rounds; default 5"},
    {"depth", 0, "N", NULL, false,
        "messages in the ring of each end, a power of two, 2 .. 64; default 64"},
};

static const char bridge_doc[] =
    "Sends messages from one node to another by aloe-bridge, over TCP, over TCP with CURVE, and as "
    "sealed datagrams over UDP, and beside the bridge by ZeroMQ, by a TCP socket and by a UDP "
    "socket, all over the loopback interface. Prints messages per second, the time of a message "
    "and the throughput of each, and the share of the throughput without the bridge that the "
    "bridge reaches; the reach is 80 % at 30000 bytes. Takes about two minutes.";

static const struct cli_option two_node_options[] = {
    {"slot-us", 0, "T,...", NULL, false,
        "slot lengths to try in microseconds; default 10000,11000,12000,13000,14000,16000,20000"},
    {"slots", 's', "N", NULL, false, "number of slots of each trial; default 300"},
    {"transport", 0, "NAME", "tcp udp", false, "only this transport; default: tcp, then udp"},
    CLOCK_OPTION,
};

static const char two_node_doc[] =
    "Runs the UTRAN chain of the papers on two nodes of one core each, as the papers did with two "
    "ARM computers of 200 MMAC/s: the chain needs 81.5 % of both nodes in slots of 10 ms, and what "
    "the transport takes of the same cores decides whether the chain holds. A thread above all "
    "others makes the CPUs as slow as those computers, and the link is limited to 100 Mbit/s in "
    "network namespaces (root). The command measures what a message and a byte cost, lets the plan "
    "predict with these figures which slot lengths hold, runs each, and prints the shortest slot "
    "that holds for TCP and for UDP. That thread also sees when it does not have its CPU, so that "
    "the machine stood: as many slots as that meets may be late, and a trial in which slots are "
    "late and it meets more than 5 % of them is run again, up to three times, and is void if that "
    "does not help. The machine has little time for anything else meanwhile. Takes about three "
    "minutes.";

static const struct cli_option chain_options[] = {
    {"seconds", 's', "S", NULL, false, "duration of a run in seconds; default 2"},
    CONTEST_OPTIONS("gnuradio"),
    SIMD_OPTION,
};

static const char chain_doc[] =
    "Sends a vector of 1000 floats every ms through ten copies on one "
    "lane: p50, p99 and maximum of the time from the source to the sink. Beside it stands its "
    "limit, a bare chain of processes that wake each other by futexes. Takes three minutes, and "
    "five minutes with GNU Radio.";

static const struct cli_option throughput_options[] = {
    {"items", 'n', "N", NULL, false, "number of bits that pass the chain; default 5e7"},
    CONTEST_OPTIONS("gnuradio"),
    SIMD_OPTION,
};

static const char throughput_doc[] =
    "Unpacks bytes to bits, maps the bits to BPSK symbols, decides the symbols and packs the bits "
    "to bytes, as fast as possible. Takes about a minute.";

static const struct cli_option handover_options[] = {
    {"seconds", 's', "S", NULL, false, "duration of a run in seconds; default 2"},
    CONTEST_OPTIONS("jack"),
    SIMD_OPTION,
};

static const char handover_doc[] =
    "Measures the hand-over from one component to the next, with all components in one process and "
    "with one process per component; and the hand-over from one client of JACK to the next. "
    "Beside it stands its limit, a bare chain of processes that wake each other by futexes. Takes "
    "three minutes, and five minutes with JACK.";

static const struct cli_option response_options[] = {
    {"subframes", 'n', "N", NULL, false,
        "subframes of a cell, 50 times as many of the recipe; default 2000, which takes half an "
        "hour"},
    {"resume", 0, "FILE", "@file", false,
        "keep each cell in FILE, and take from FILE what is there: a run that was ended goes on"},
};

static const char response_doc[] =
    "The experiment of Wang et al.: a base station has 3.45 ms to answer a subframe of TD-SCDMA, "
    "while four busy loops want the same CPUs. Prints the share of answers that come too late for "
    "each quota on the loops, timer and real-time priority, and of the whole recipe. The quota "
    "needs root and control groups v1. The work is raised until the loops alone make half of the "
    "answers late; where the idle machine does not hold that work, the experiment is void. Stalls "
    "of the machine that the kernel's records prove are counted and listed beside the raw shares. "
    "Late answers of the idle machine and of the recipe that are not proven are listed with what "
    "the records say.";

static const struct cli_option x310_options[] = {
    {"seconds", 's', "S", NULL, false,
        "duration of each measured stretch in seconds; default 2, which takes about eight minutes "
        "in all"},
    {"systems", 0, "NAME,...", NULL, false,
        "systems to compare: loop-udp, loop-dpdk, upols-udp, upols-dpdk, uhd, uhd-dpdk, aloe-udp, "
        "aloe-dpdk, aloe-udp-cf32, aloe-dpdk-cf32; default: all systems"},
    SIMD_OPTION,
};

static const char x310_doc[] =
    "Table I and Figure 4 of the paper on low-latency processing with X310s (Engelhardt et al. "
    "2022), for this machine. Samples go from a simulated device (x310sim, on the last CPU) "
    "through a host (on the first CPU) and back. The host is a bare loop, UHD, or ALOE with the "
    "waveforms x310-passthrough and x310-channel; the transport is kernel UDP, or DPDK's memif "
    "without the kernel. Prints for each host the highest sustained rate, the shortest time from "
    "antenna to antenna, and the delay of packets in the host; and, in pairs at the same rate, how "
    "much longer ALOE takes than the bare loop, and than the loop that calls upols by itself.";

static const struct cli_option x310_recovery_options[] = {
    {"spp", 0, "N", NULL, false, "samples per packet, 16 .. 1996; default 256"},
    {"wire-us", 0, "US", NULL, false,
        "delay of the wire in one direction in microseconds; default "
        "2"},
    {"advance-us", 0, "US", NULL, false,
        "time in microseconds by which a packet is sent early; default 20"},
};

static const char x310_recovery_doc[] =
    "One packet to an X310 is lost, late, duplicated, or swapped with the next packet. The command "
    "shows the reaction of the device and the cost of each recovery: round trips, discarded "
    "packets, silent samples, misplaced samples, and the time slip that remains. The recoveries "
    "are the published recovery, the shortest recovery that the protocol allows, and no recovery. "
    "Time is simulated, with the protocol of ALOE and the device of x310sim.";

static const char x310loop_doc[] =
    "Sends the received samples back to the device at IP by a loop without ALOE's engine, which is "
    "the best that a host can do; `aloe bench x310` compares ALOE with this loop. One core polls "
    "all the time. The host delay of a packet is the time from the reception to the end of the "
    "transmission. A poll without a packet that takes longer than 6.2 us is time that the machine "
    "or the hypervisor took away.\n"
    "\n"
    "  x310sim --address 127.0.0.2 --source ticks & aloe bench x310loop 127.0.0.2 --rate 10e6 "
    "--spp 512";

static const struct cli_command commands[] = {
    {"bler", "", 0, 0, NULL, "measure block and bit error rates over Eb/N0", bler_doc,
        CLI_LIST(bler_options), bench_bler},
    {"bpsk", "", 0, 0, NULL, "find the largest packet that fits into a slot, for each slot length",
        bpsk_doc, CLI_LIST(bpsk_options), bench_bpsk},
    {"bridge", "", 0, 0, NULL, "measure messages from node to node, beside bare sockets",
        bridge_doc, CLI_LIST(bridge_options), bench_bridge},
    {"chain", "", 0, 0, NULL, "measure the latency of ten copies, beside other systems", chain_doc,
        CLI_LIST(chain_options), bench_chain},
    {"copies", "[FILE]", 0, 1, "@file", "find the largest number of copies of a waveform on a lane",
        copies_doc, CLI_LIST(copies_options), bench_copies},
    {"draw", "RESULT", 1, 1, "@file", "draw the picture of a result that --json printed", draw_doc,
        {NULL, 0}, bench_draw},
    {"growth", "", 0, 0, NULL, "measure loading, running and unloading by instances and waveforms",
        growth_doc, CLI_LIST(growth_options), bench_growth},
    {"handover", "", 0, 0, NULL, "measure the hand-over between components, beside JACK",
        handover_doc, CLI_LIST(handover_options), bench_handover},
    {"hist", "", 0, 0, NULL, "show the distribution of execution times", hist_doc,
        CLI_LIST(hist_options), bench_hist},
    {"lengths", "", 0, 0, NULL, "predict the time of components at another length of messages",
        lengths_doc, CLI_LIST(lengths_options), bench_lengths},
    {"link", "", 0, 0, NULL, "measure the time of a message over a link", link_doc,
        CLI_LIST(link_options), bench_link},
    {"predict", "", 0, 0, NULL, "predict execution times from one kind of node to another",
        predict_doc, CLI_LIST(predict_options), bench_predict},
    {"map", "", 0, 0, NULL, "count the mapping problems that each mapper solves", map_doc,
        CLI_LIST(map_options), bench_map},
    {"memory", "[FILE]", 0, 1, "@file", "measure the memory of each process and each instance",
        memory_doc, CLI_LIST(memory_options), bench_memory},
    {"messages", "", 0, 0, NULL, "send packets through pipes x stages, beside other systems",
        messages_doc, CLI_LIST(messages_options), bench_messages},
    {"overhead", "", 0, 0, NULL, "measure the overhead of a slot and of a component", overhead_doc,
        CLI_LIST(overhead_options), bench_overhead_vs},
    {"pipes", "", 0, 0, NULL, "send floats through pipes x stages, beside other systems", pipes_doc,
        CLI_LIST(pipes_options), bench_pipes},
    {"response", "", 0, 0, NULL, "count late responses under load, by quota, timer and priority",
        response_doc, CLI_LIST(response_options), bench_response},
    {"table1", "", 0, 0, NULL, "measure execution times of the UTRAN chain", table1_doc,
        CLI_LIST(table1_options), bench_table1},
    {"throughput", "", 0, 0, NULL, "measure the bit rate of a BPSK chain, beside other systems",
        throughput_doc, CLI_LIST(throughput_options), bench_throughput},
    {"two-node", "", 0, 0, NULL, "predict and run a chain on two nodes over a slow link",
        two_node_doc, CLI_LIST(two_node_options), bench_two_node},
    {"utran", "", 0, 0, NULL, "measure each component of the UTRAN bearer", utran_doc,
        CLI_LIST(utran_options), bench_utran},
    {"x310", "", 0, 0, NULL, "measure rate and latency from a radio and back", x310_doc,
        CLI_LIST(x310_options), bench_x310},
    {"x310-recovery", "", 0, 0, NULL, "show the cost of a lost or late packet to a radio",
        x310_recovery_doc, CLI_LIST(x310_recovery_options), bench_x310_recovery},
    {"x310loop", "IP", 1, 1, NULL, "send received samples back to an X310 by a bare loop",
        x310loop_doc, {x310loop_options, X310LOOP_OPTIONS}, bench_x310loop},
};

static const char doc[] =
    "Measures the programs of this installation on this machine. Each command prints tables with "
    "the number of samples and, where known, reference figures beside the results; longer commands "
    "show their progress. Ctrl-C ends a command and prints the results so far (exit status 130). "
    "`aloe bench COMMAND` is the same.";

static const struct cli_program program = {
    .name = "aloe-bench",
    .section = 1,
    .summary = "measure this installation on this machine",
    .doc = doc,
    .options = CLI_LIST(common_options),
    .commands = CLI_LIST(commands),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
