/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310sim - a USRP X310 without the hardware: the device's end of the wire, for tests and for those who have none. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/cli/cli.h"
#include "tools/x310sim/server.h"

static void print_text(const struct server *s)
{
	printf("packets    %llu in, %llu out, %llu malformed, %llu without a route, %llu without an address\n",
	       (unsigned long long)s->packets_in, (unsigned long long)s->packets_out,
	       (unsigned long long)s->device.malformed, (unsigned long long)s->device.unroutable,
	       (unsigned long long)s->device.no_address);
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		const struct sim_endpoint *e = &s->device.endpoints[i];
		const struct sim_tx *tx = &e->radio.tx;
		const struct sim_rx *rx = &e->radio.rx;

		if (!tx->played && !tx->late && !rx->samples && !rx->overruns)
			continue;
		printf("channel %d  tx: %llu packets, %llu samples played, %llu underruns, %llu late, %llu sequence "
		       "errors, "
		       "%llu discarded, %llu beyond the window, %llu bursts\n",
		       i, (unsigned long long)tx->played, (unsigned long long)tx->samples,
		       (unsigned long long)tx->underruns, (unsigned long long)tx->late,
		       (unsigned long long)e->input.seqerr, (unsigned long long)e->input.discarded,
		       (unsigned long long)e->input.overflowed, (unsigned long long)tx->bursts);
		printf("           rx: %llu samples, %llu overruns, %llu late commands\n",
		       (unsigned long long)rx->samples, (unsigned long long)rx->overruns, (unsigned long long)rx->late);
	}
	printf("clock      looked at up to %.1f us late\n", (double)s->behind_max * 1e6 / (double)DEVICE_TICKS_PER_S);
}

static void print_json(const struct server *s)
{
	printf(
	    "{\"schema\": 1, \"packets_in\": %llu, \"packets_out\": %llu, \"malformed\": %llu, \"unroutable\": %llu, "
	    "\"no_address\": %llu, \"clock_late_us\": %.1f, \"channels\": [",
	    (unsigned long long)s->packets_in, (unsigned long long)s->packets_out,
	    (unsigned long long)s->device.malformed, (unsigned long long)s->device.unroutable,
	    (unsigned long long)s->device.no_address, (double)s->behind_max * 1e6 / (double)DEVICE_TICKS_PER_S);
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		const struct sim_endpoint *e = &s->device.endpoints[i];
		printf("%s{\"tx_packets\": %llu, \"tx_samples\": %llu, \"tx_underruns\": %llu, \"tx_late\": %llu, "
		       "\"tx_sequence_errors\": %llu, \"tx_discarded\": %llu, \"tx_overflowed\": %llu, \"tx_bursts\": "
		       "%llu, "
		       "\"rx_samples\": %llu, \"rx_overruns\": %llu, \"rx_late\": %llu}",
		       i ? ", " : "", (unsigned long long)e->radio.tx.played, (unsigned long long)e->radio.tx.samples,
		       (unsigned long long)e->radio.tx.underruns, (unsigned long long)e->radio.tx.late,
		       (unsigned long long)e->input.seqerr, (unsigned long long)e->input.discarded,
		       (unsigned long long)e->input.overflowed, (unsigned long long)e->radio.tx.bursts,
		       (unsigned long long)e->radio.rx.samples, (unsigned long long)e->radio.rx.overruns,
		       (unsigned long long)e->radio.rx.late);
	}
	printf("]}\n");
}

static int run(struct server *server, const struct cli_args *args, uint32_t ip, double seconds)
{
	const struct device_options options = {.version = 0x0100,
					       .stop_supported = cli_has(args, "stop-on-error"),
					       .zeros = cli_has(args, "missing-tx-zeros"),
					       .capacity = DEVICE_CAPACITY,
					       .divide = 2};
	int rc = server_open(server, ip, &options);

	if (rc < 0) {
		fprintf(stderr, "x310sim: %s: ports %d, %d and %d: %s\n", cli_get(args, "address"), FIRMWARE_PORT,
			CHDR_PORT, MTU_PORT, strerror(-rc));
	} else {
		fprintf(stderr, "x310sim: ready on %s\n", inet_ntoa((struct in_addr){htonl(ip)}));
		server_run(server, seconds > 0 ? clock_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX);
		(cli_has(args, "json") ? print_json : print_text)(server);
	}
	server_close(server);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int x310sim(const struct cli_args *args)
{
	const char *address = cli_get(args, "address"), *source = cli_get(args, "source");
	struct server *server;
	double seconds = 0;
	struct in_addr ip;
	int status, rc;

	if (cli_real(args, "seconds", 0.001, 1e9, &seconds) < 0)
		return CLI_USAGE;
	if (inet_pton(AF_INET, address ? address : "127.0.0.2", &ip) != 1) {
		fprintf(stderr, "x310sim: --address %s is not an IPv4 address\n", address);
		return CLI_USAGE;
	}
	server = calloc(1, sizeof(*server));
	if (server == NULL)
		return CLI_FAILED;
	rc = analog_open(&server->analog, source ? source : "tone", cli_get(args, "record"));
	if (rc < 0) {
		fprintf(stderr, "x310sim: %s: %s\n", server->analog.kind == ANALOG_FILE ? source : "record",
			strerror(-rc));
		free(server);
		return CLI_FAILED;
	}
	status = run(server, args, ntohl(ip.s_addr), seconds);
	rc = analog_close(&server->analog);
	if (rc < 0)
		fprintf(stderr, "x310sim: %s: %s\n", cli_get(args, "record"), strerror(-rc));
	free(server);
	return rc < 0 ? CLI_FAILED : status;
}

static const struct cli_option options[] = {
    {"address", 'a', "IP", NULL, false, "address of this machine to be the device on; default 127.0.0.2"},
    {"source", 's', "WHAT", "@file", false, "what the receivers hear: tone, zeros, loop, or a file of complex int16"},
    {"record", 'r', "FILE", "@file", false, "write what channel 0 transmits, complex int16"},
    {"seconds", 't', "S", NULL, false, "end after so long; default: at SIGINT or SIGTERM"},
    {"stop-on-error", 0, NULL, NULL, false, "be an FPGA of UHD 4.9 or later, which can stop on sequence errors"},
    {"missing-tx-zeros", 0, NULL, NULL, false, "put zeros where a Tx packet is missing, which no FPGA does"},
    {"json", 'j', NULL, NULL, false, "the counts at the end as one JSON object"},
};

static const struct cli_command commands[] = {
    {NULL, "", 0, 0, NULL, "Is an X310 on an address of this machine until it is told to end.",
     "Two radios with 4 receive and 2 transmit channels, 200 MHz, sc16, one 10 Gbit/s port; the register map of UHD "
     "4.0 to "
     "4.9. Time is this machine's: rates beyond what a core can move are late, and the counts say so. `loop` joins "
     "each "
     "transmitter to the receiver of the same channel.",
     CLI_LIST(options), x310sim},
};

static const struct cli_section sections[] = {
    {"EXAMPLES", "  x310sim --address 127.0.0.2 &\n"
		 "  uhd_usrp_probe --args type=x300,addr=127.0.0.2"},
    {"EXIT STATUS", "  0    done\n  1    a port or a file cannot be had\n  2    usage"},
};

static const struct cli_program program = {
    .name = "x310sim",
    .section = 1,
    .summary = "a USRP X310 without the hardware",
    .doc = "x310sim is the device's end of the wire: an unmodified UHD brings it up and streams with it.",
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
