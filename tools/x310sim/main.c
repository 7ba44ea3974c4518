/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310sim - a USRP X310 without the hardware: the device's end of the wire, for tests and for those who have none. */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/diag.h"
#include "core/cli/cli.h"
#include "core/registry/registry.h"
#include "tools/x310sim/counts.h"

static int fail(const char *what, int rc)
{
	fprintf(stderr, "x310sim: %s: %s\n", what, strerror(-rc));
	return CLI_FAILED;
}

/* An option that is an IPv4 address, in host order. */
static int get_ip(const struct cli_args *args, const char *name, const char *otherwise, uint32_t *ret)
{
	const char *text = cli_get(args, name);
	struct in_addr ip;

	if (inet_pton(AF_INET, text ? text : otherwise, &ip) != 1)
		return cli_fail(args, "--%s %s is not an IPv4 address", name, text);
	*ret = ntohl(ip.s_addr);
	return CLI_OK;
}

/* SFP1 is there with --port; what moves packets through it is a library of its own. */
static int get_sfp1(const struct cli_args *args, struct server_options *options)
{
	struct door_options *sfp1 = &options->sfp1_options;
	const void *symbol = NULL;
	char path[PATH_MAX];
	uint64_t bytes = 0;
	struct diag diag;
	int rc;

	sfp1->port = cli_get(args, "port");
	sfp1->eal = cli_get(args, "eal");
	if (cli_whole(args, "port-bytes", 512, CHDR_PACKET_MAX, &bytes) < 0 ||
	    get_ip(args, "port-address", "192.168.40.2", &sfp1->own.ip) != CLI_OK)
		return CLI_USAGE;
	sfp1->packet_bytes = (uint32_t)bytes;
	if (sfp1->port == NULL)
		return CLI_OK;
	diag_init(&diag);
	rc = library_path("dpdk", path, sizeof(path));
	if (rc == 0)
		rc = library_open(path, "door_dpdk", &diag, &symbol);
	diag_print(&diag, stderr);
	if (rc < 0)
		fprintf(stderr, "x310sim: --port needs DPDK; that library is built where libdpdk-dev is installed\n");
	diag_fini(&diag);
	options->sfp1 = symbol;
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int run(struct server *server, const struct cli_args *args, const struct server_options *options, double seconds)
{
	const struct in_addr ip = {htonl(options->ip)};
	char why[DOOR_WHY] = "";
	int rc = server_open(server, options, why);

	if (rc < 0) {
		fprintf(stderr, "x310sim: %s: %s\n", inet_ntoa(ip), why);
	} else {
		for (int i = 0; i < SERVER_DOORS; i++)
			if (server->doors[i] && server->doors[i]->note[0])
				fprintf(stderr, "x310sim: %s: %s\n", server->doors[i]->kind->name,
					server->doors[i]->note);
		fprintf(stderr, "x310sim: ready on %s\n", inet_ntoa(ip));
		server_run(server, seconds > 0 ? clock_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX);
		(cli_has(args, "json") ? counts_json : counts_text)(server, stdout);
	}
	server_close(server);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int x310sim(const struct cli_args *args)
{
	const char *source = cli_get(args, "source"), *record = cli_get(args, "record");
	struct server_options options = {.device = {.version = 0x0100,
						    .stop_supported = cli_has(args, "stop-on-error"),
						    .zeros = cli_has(args, "missing-tx-zeros"),
						    .capacity = DEVICE_CAPACITY,
						    .divide = 2}};
	struct server *server;
	double seconds = 0;
	int status, rc;

	if (cli_real(args, "seconds", 0.001, 1e9, &seconds) < 0 ||
	    get_ip(args, "address", "127.0.0.2", &options.ip) != CLI_OK)
		return CLI_USAGE;
	status = get_sfp1(args, &options);
	if (status != CLI_OK)
		return status;
	server = calloc(1, sizeof(*server));
	if (server == NULL)
		return fail("simulator", -ENOMEM);
	rc = analog_open(&server->analog, source ? source : "tone", record);
	if (rc < 0) {
		status = fail(server->analog.failed ? server->analog.failed : source, rc);
	} else {
		status = run(server, args, &options, seconds);
		rc = analog_close(&server->analog);
		status = rc < 0 ? fail(record, rc) : status;
	}
	free(server);
	return status;
}

static const struct cli_option options[] = {
    {"address", 'a', "IP", NULL, false, "address of this machine to be the device on; default 127.0.0.2"},
    {"source", 's', "WHAT", "@file", false, "what the receivers hear: tone, zeros, loop, or a file of complex int16"},
    {"record", 'r', "FILE", "@file", false, "write what channel 0 transmits, complex int16"},
    {"port", 'p', "PORT", NULL, false, "a second network port that the kernel does not see, by DPDK: net_memif0,..."},
    {"port-address", 0, "IP", NULL, false, "the device's address there; default 192.168.40.2"},
    {"port-bytes", 0, "N", NULL, false, "largest CHDR packet there, 512 .. 8192; default: what the port can"},
    {"eal", 0, "OPTIONS", NULL, false, "options for DPDK's environment, before its own"},
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
     "transmitter to the receiver of the same channel.\n\nThe first of its 10 Gbit/s ports is an address of this "
     "machine. "
     "With --port there is a second one, for CHDR alone, which any port of DPDK can be (memif, af_packet, a real "
     "one): one core is busy with looking at it.",
     CLI_LIST(options), x310sim},
};

static const struct cli_section sections[] = {
    {"EXAMPLES", "  x310sim --address 127.0.0.2 &\n"
		 "  uhd_usrp_probe --args type=x300,addr=127.0.0.2\n"
		 "  x310sim --port net_memif0,role=server,socket=/tmp/sfp1,socket-abstract=no &"},
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
