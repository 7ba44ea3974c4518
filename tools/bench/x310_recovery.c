/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench x310-recovery: what one Tx packet that goes wrong costs, by device and by what the
 * host does about it. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "tools/bench/bench.h"
#include "tools/bench/commands.h"
#include "tools/bench/x310_world.h"

#define TICKS_PER_US 200.0

struct recovery {
	struct bench *bench;
	struct x310_trial trial; /* as far as it is the same for all */
	unsigned never, at_once; /* right again: these are not drawn */
};

static const struct device_mode {
	const char *key;
	bool stop_on_seqerr, zeros;
} modes[] = {
    {"goes on", false, false}, {"stops on error", true, false}, {"fills with zeros", false, true}};

static const struct cure {
	const char *key;
	enum tx_policy policy;
} cures[] = {{"published: INIT twice", TX_REINIT_TWICE}, {"one INIT", TX_REINIT},
    {"realign", TX_REALIGN}, {"none", TX_GO_ON}};

/* A device that stops goes on only after INIT; one that fills leaves nothing to be mended. */
static bool cure_applies(const struct device_mode *mode, const struct cure *cure)
{
	if (mode->stop_on_seqerr)
		return cure->policy == TX_REINIT || cure->policy == TX_REINIT_TWICE;
	return !mode->zeros || cure->policy == TX_GO_ON;
}

static const struct column columns[] = {
    {"device", "device", COLUMN_TEXT},
    {"fault", "Tx packet", COLUMN_TEXT},
    {"recovery", "recovery", COLUMN_TEXT},
    {"round_trips", "round trips", 0},
    {"reports", "reports", 0},
    {"inits", "INIT", 0},
    {"discarded", "discarded", 0},
    {"left_out", "not sent", 0},
    {"silent", "silent samples", 0},
    {"misplaced", "misplaced samples", 0},
    {"slip", "slip that stays", 0},
    {"restored_us", "right again after us", 1},
};

static json_t *row_of(const struct device_mode *mode, const struct cure *cure,
    enum x310_fault fault, const struct x310_outcome *outcome)
{
	const double restored = outcome->restored_ticks == UINT64_MAX
	    ? NAN
	    : (double)outcome->restored_ticks / TICKS_PER_US;

	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "device",
	    mode->key, "fault", x310_fault_name(fault), "recovery", cure->key, "round_trips",
	    (json_int_t)outcome->round_trips, "reports", (json_int_t)outcome->reports, "inits",
	    (json_int_t)outcome->inits, "discarded", (json_int_t)outcome->discarded, "left_out",
	    (json_int_t)outcome->left_out, "silent", (json_int_t)outcome->silent, "misplaced",
	    (json_int_t)outcome->misplaced, "slip", (json_int_t)outcome->slip, "restored_us",
	    json_real_or_null(restored));
}

/* What is right again at once has no place on a logarithmic axis, nor has what never is. */
static void outcome_draw(struct recovery *recovery, const struct device_mode *mode,
    const struct cure *cure, enum x310_fault fault, const struct x310_outcome *outcome)
{
	struct plot *plot = &recovery->bench->plot;
	char label[120];

	recovery->never += outcome->restored_ticks == UINT64_MAX;
	recovery->at_once += outcome->restored_ticks == 0;
	if (outcome->restored_ticks == UINT64_MAX || outcome->restored_ticks == 0)
		return;
	snprintf(label, sizeof(label), "%.60s, packet %.40s", mode->key, x310_fault_name(fault));
	json_array_append_new(plot_named(plot, PLOT_ROWS, cure->key),
	    json_pack("[s, f]", label, (double)outcome->restored_ticks / TICKS_PER_US));
}

static int try_one(struct recovery *recovery, const struct device_mode *mode,
    const struct cure *cure, enum x310_fault fault)
{
	struct x310_trial trial = recovery->trial;
	struct x310_outcome outcome;
	int rc;

	trial.fault = fault;
	trial.policy = cure->policy;
	trial.stop_on_seqerr = mode->stop_on_seqerr;
	trial.zeros = mode->zeros;
	rc = x310_trial_run(&trial, &outcome);
	if (rc < 0) {
		fprintf(stderr, "aloe bench x310-recovery: %s, %s: %s\n", mode->key, cure->key,
		    rc == -EIO ? "the streams cannot be brought up" : strerror(-rc));
		return CLI_FAILED;
	}
	bench_row(recovery->bench, row_of(mode, cure, fault, &outcome));
	outcome_draw(recovery, mode, cure, fault, &outcome);
	return CLI_OK;
}

static int recovery_measure(void *self)
{
	struct recovery *recovery = self;
	int status = CLI_OK;

	bench_table(recovery->bench, "recovery", "one Tx packet goes wrong", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (size_t mode = 0; mode < sizeof(modes) / sizeof(modes[0]); mode++)
		for (int fault = 0; fault < X310_FAULTS; fault++)
			for (size_t cure = 0; cure < sizeof(cures) / sizeof(cures[0]); cure++)
				if (status == CLI_OK && cure_applies(&modes[mode], &cures[cure]))
					status = try_one(recovery, &modes[mode], &cures[cure],
					    (enum x310_fault)fault);
	return status;
}

static void recovery_result(void *self)
{
	struct recovery *recovery = self;
	struct bench *bench = recovery->bench;
	const struct x310_trial *trial = &recovery->trial;

	bench->plot.title = "Time until the transmission is right again, by recovery";
	bench->plot.x = "time [us]";
	bench->plot.y = "device and fault";
	bench->plot.log_x = true;
	if (recovery->never + recovery->at_once > 0)
		plot_note(&bench->plot, "not drawn: %u never right again, %u right again at once",
		    recovery->never, recovery->at_once);
	bench_note(bench,
	    "simulated in the time of the device, so the result is the same on every machine: "
	    "packets of %u sample%s at %.6g MSa/s, each with a timestamp, are sent %.6g us early "
	    "over a wire of %.6g us; one packet is lost, late (with all packets behind it), "
	    "duplicated, swapped with the next packet, or not sent by the host",
	    trial->samples, plural(trial->samples), TICKS_PER_US / trial->divide,
	    (double)trial->advance_ticks / TICKS_PER_US, (double)trial->wire_ticks / TICKS_PER_US);
	bench_note(bench,
	    "a device that \"goes on\" has any FPGA image as UHD sets it up; a device that \"stops "
	    "on error\" has an image of UHD 4.9 or later with this setting; no device \"fills with "
	    "zeros\", which the paper proposes");
	bench_note(bench,
	    "round trips count from the report of the error to the first packet that is right "
	    "again: half for the report, one for each INIT and its answer, and half for the "
	    "packet. Published (Engelhardt et al., Figure 2): three round trips, in which sent "
	    "packets are discarded");
	bench_note(bench,
	    "the protocol sets these limits. A device that has stopped goes on only after INIT; "
	    "INIT waits until the device has played its buffer, and then the device discards "
	    "packets until no packet has come for 87.4 us. A device that goes on looks at a "
	    "timestamp only at the start of a burst, so the packets after a lost packet are played "
	    "early until the host ends the burst (realign: one round trip, nothing is discarded) "
	    "or until an underrun. The radio drops a late packet and is in time again without "
	    "help. Swapped packets need no recovery. If the host leaves a packet out, the host "
	    "ends the burst before, so the following packets are in time");
	bench_note(bench,
	    "discarded counts packets that the device discarded; not sent counts slots whose "
	    "packet the host left out");
}

static int options_parse(void *self)
{
	struct recovery *recovery = self;
	const struct cli_args *args = recovery->bench->args;
	double wire_us = 2, advance_us = 20;
	uint64_t samples = 256;

	if (cli_whole(args, "spp", 16, 1996, &samples) < 0 ||
	    cli_real(args, "wire-us", 0.1, 50, &wire_us) < 0 ||
	    cli_real(args, "advance-us", 1, 100, &advance_us) < 0)
		return CLI_USAGE;
	if (advance_us < wire_us + 1)
		return cli_fail(args,
		    "--advance-us %g: packets must arrive early, so at least %g is needed",
		    advance_us, wire_us + 1);
	recovery->trial = (struct x310_trial){.samples = (uint32_t)samples,
	    .divide = 2,
	    .wire_ticks = (uint64_t)lrint(wire_us * TICKS_PER_US),
	    .advance_ticks = (uint64_t)lrint(advance_us * TICKS_PER_US)};
	return CLI_OK;
}

int bench_x310_recovery(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct recovery), options_parse, recovery_measure, recovery_result, NULL};

	return bench_main(args, &parts);
}
