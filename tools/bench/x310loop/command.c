/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/x310loop/command.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "tools/bench/commands.h"

#define TICKS_PER_S 200e6

static int get_address(
    const struct cli_args *args, const char *what, const char *text, uint32_t *ret)
{
	struct in_addr ip = {0};

	if (text && inet_pton(AF_INET, text, &ip) != 1)
		return cli_fail(args, "%s%s is not an IPv4 address", what, text);
	*ret = ntohl(ip.s_addr);
	return CLI_OK;
}

static int get_options(
    const struct cli_args *args, const struct loop_work *work, struct loop_options *ret)
{
	double rate = 1e6, advance_us = 1000, seconds = 1;
	uint64_t samples = 256;

	*ret = (struct loop_options){.device.port = CHDR_PORT,
	    .port = cli_get(args, "port"),
	    .eal = cli_get(args, "eal"),
	    .initialised = cli_has(args, "initialised"),
	    .work = work};
	if (cli_real(args, "rate", 1e4, TICKS_PER_S, &rate) < 0 ||
	    cli_whole(args, "spp", 16, 1996, &samples) < 0 ||
	    cli_real(args, "advance-us", 1, 1e6, &advance_us) < 0 ||
	    cli_real(args, "seconds", 0.01, 1e6, &seconds) < 0 ||
	    get_address(args, "", args->args[0], &ret->device.ip) != CLI_OK ||
	    get_address(args, "--own-address ", cli_get(args, "own-address"), &ret->own.ip) !=
	        CLI_OK)
		return CLI_USAGE;
	if (fmod(TICKS_PER_S, rate) != 0)
		return cli_fail(
		    args, "--rate %.9g: 200e6 divided by a whole number is needed", rate);
	if (ret->port && !ret->own.ip)
		return cli_fail(args,
		    "--port needs --own-address IP, because the kernel gives a "
		    "DPDK port no address");
	ret->own.port = ret->port ? 50000 : 0;
	ret->samples = (uint32_t)samples;
	ret->ticks_per_sample = (uint32_t)(TICKS_PER_S / rate);
	ret->advance_ticks = (uint64_t)(advance_us * TICKS_PER_S / 1e6);
	ret->ns = (uint64_t)(seconds * 1e9);
	return CLI_OK;
}

/* ---- what is printed ------------------------------------------------------------------------ */

static void print_delay(const char *what, const struct hist *hist)
{
	printf("%s: p50 %.3f, p99 %.3f, p99.9 %.3f, p99.99 %.3f, at most %.1f us\n", what,
	    (double)hist_quantile(hist, 0.5) * 1e-3, (double)hist_quantile(hist, 0.99) * 1e-3,
	    (double)hist_quantile(hist, 0.999) * 1e-3, (double)hist_quantile(hist, 0.9999) * 1e-3,
	    (double)hist_max(hist) * 1e-3);
}

static void print_text(const struct x310_loop *loop)
{
	printf("%" PRIu64 " packet%s of %" PRIu32 " sample%s, %.3f MSa/s; lost %" PRIu64
	       ", too late to be sent %" PRIu64 ", no room %" PRIu64 "\n",
	    loop->packets, plural(loop->packets), loop->options.samples,
	    plural(loop->options.samples), (double)loop->samples * 1e3 / (double)loop->ns,
	    loop->radio.rx.counts.lost, loop->skipped, loop->shut);
	print_delay("host delay", &loop->delay);
	print_delay("host delay with the poll", &loop->whole);
	printf("%" PRIu64 " poll%s without a packet, %" PRIu64
	       " longer than %.1f us, the longest %.1f us\n",
	    loop->looks, plural(loop->looks), loop->looks_long, LOOP_LONG_NS * 1e-3,
	    (double)loop->look_max_ns * 1e-3);
}

static void print_hist(const struct hist *hist)
{
	const char *comma = "";

	printf("{\"count\": %" PRIu64 ", \"p50\": %" PRIu64 ", \"p90\": %" PRIu64
	       ", \"p99\": %" PRIu64 ", \"p99_9\": %" PRIu64 ", \"p99_99\": %" PRIu64
	       ", \"max\": %" PRIu64 ", \"mean\": %.1f, \"cells\": [",
	    hist_count(hist), hist_quantile(hist, 0.5), hist_quantile(hist, 0.9),
	    hist_quantile(hist, 0.99), hist_quantile(hist, 0.999), hist_quantile(hist, 0.9999),
	    hist_max(hist), hist_mean(hist));
	for (uint32_t cell = 0; cell < HIST_CELLS; cell++) {
		const uint64_t count = hist_cells_get(&hist->cells, cell);

		if (count)
			printf("%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", comma,
			    hist_cell_low(cell), hist_cell_high(cell), count);
		comma = count ? ", " : comma;
	}
	printf("]}");
}

static void print_json(const struct x310_loop *loop)
{
	const struct transport_counts *transport = &loop->transport->counts;

	printf("{\"schema\": 1, \"seconds\": %.6f, \"samples_per_packet\": %" PRIu32
	       ", \"packets\": %" PRIu64 ", \"samples\": %" PRIu64 ", \"lost\": %" PRIu64
	       ", \"old\": %" PRIu64 ", \"skipped\": %" PRIu64 ", \"shut\": %" PRIu64
	       ", \"sent\": %" PRIu64 ", \"starts\": %" PRIu64 ", \"sequence_errors\": %" PRIu64
	       ", \"realigned\": %" PRIu64 ", \"looks\": %" PRIu64 ", \"looks_long\": %" PRIu64
	       ", \"look_max_ns\": %" PRIu64,
	    (double)loop->ns * 1e-9, loop->options.samples, loop->packets, loop->samples,
	    loop->radio.rx.counts.lost, loop->radio.rx.counts.old, loop->skipped, loop->shut,
	    loop->radio.tx.counts.packets, loop->starts, loop->radio.tx.counts.seqerr,
	    loop->radio.counts.realigned, loop->looks, loop->looks_long, loop->look_max_ns);
	printf(", \"dropped\": %" PRIu64 ", \"held_back\": %" PRIu64
	       ", \"note\": \"%s\", \"delay_ns\": ",
	    transport->dropped, transport->held_back, loop->transport->note);
	print_hist(&loop->delay);
	printf(", \"whole_ns\": ");
	print_hist(&loop->whole);
	printf("}\n");
}

/* ---- the program ------------------------------------------------------------------------ */

static int cpu_pin(const struct cli_args *args)
{
	uint64_t cpu = 0;
	cpu_set_t set;

	if (cli_whole(args, "cpu", 0, CPU_SETSIZE - 1, &cpu) < 0)
		return CLI_USAGE;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (cli_has(args, "cpu") && sched_setaffinity(0, sizeof(set), &set) < 0)
		return cli_fail(args, "--cpu %" PRIu64 ": %s", cpu, strerror(errno));
	return CLI_OK;
}

int x310loop_run(const struct cli_args *args, const struct loop_work *work)
{
	struct x310_loop *loop = calloc(1, sizeof(*loop));
	struct loop_options options;
	char why[TRANSPORT_WHY] = "";
	int status = get_options(args, work, &options);

	if (status == CLI_OK)
		status = cpu_pin(args);
	if (status == CLI_OK && loop == NULL)
		status = CLI_FAILED;
	if (status == CLI_OK && loop_open(loop, &options, why) < 0) {
		fprintf(stderr, "aloe-bench x310loop: %s: %s\n", args->args[0], why);
		status = CLI_FAILED;
	} else if (status == CLI_OK) {
		if (loop->transport->note[0])
			fprintf(stderr, "aloe-bench x310loop: %s\n", loop->transport->note);
		loop_pass(loop);
		if (x310_failed(&loop->radio)) {
			fprintf(stderr, "aloe-bench x310loop: %s: %s\n", args->args[0],
			    x310_failed(&loop->radio));
			status = CLI_FAILED;
		}
		(cli_has(args, "json") ? print_json : print_text)(loop);
	}
	if (loop)
		loop_close(loop);
	free(loop);
	return status;
}

int bench_x310loop(const struct cli_args *args)
{
	return x310loop_run(args, NULL);
}

const struct cli_option x310loop_options[X310LOOP_OPTIONS] = {
    {"rate", 'r', "HZ", NULL, false,
        "samples per second, 200e6 divided by a whole number; default "
        "1e6"},
    {"spp", 0, "N", NULL, false, "samples per packet, 16 .. 1996; default 256"},
    {"advance-us", 'a', "US", NULL, false,
        "time in microseconds from the reception of a sample to its transmission; default 1000"},
    {"seconds", 't', "S", NULL, false, "duration in seconds; default 1"},
    {"own-address", 0, "IP", NULL, false,
        "IP address of this machine; default: the address that "
        "the kernel chooses"},
    {"port", 'p', "PORT", NULL, false, "DPDK port to use, net_memif0,... or a PCI address"},
    {"eal", 0, "OPTIONS", NULL, false,
        "options for the DPDK environment, placed before the "
        "options of this program"},
    {"cpu", 0, "CPU", NULL, false, "run on this CPU only"},
    {"initialised", 0, NULL, NULL, false,
        "x310-init has initialised the device: keep rate and "
        "endpoint"},
    {"json", 'j', NULL, NULL, false, "print one JSON object with the histogram of delays in ns"},
};
