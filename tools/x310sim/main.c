/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310sim - a USRP X310 without the hardware: the device's end of the wire, for tests and for those who have none. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "tools/x310sim/counts.h"
#include "tools/x310sim/options.h"

static int fail(const char *what, int rc)
{
	fprintf(stderr, "x310sim: %s: %s\n", what, strerror(-rc));
	return CLI_FAILED;
}

static void say_ready(const struct server *server)
{
	for (unsigned i = 0; i < server->n_units; i++)
		for (int door = 0; door < UNIT_DOORS; door++)
			if (server->units[i].doors[door] && server->units[i].doors[door]->note[0])
				fprintf(stderr, "x310sim: %s: %s\n",
				    server->units[i].doors[door]->kind->name,
				    server->units[i].doors[door]->note);
	fprintf(stderr, "x310sim: ready on");
	for (unsigned i = 0; i < server->n_units; i++) {
		const struct in_addr ip = {htonl(server->units[i].options.ip)};
		fprintf(stderr, " %s", inet_ntoa(ip));
	}
	fprintf(stderr, "\n");
}

/* What it counted, and what a sounding found. */
static int report(const struct server *server, const struct options *options, struct expect *expect)
{
	struct counts counts;
	int rc = counts_take(&counts, server, expect);

	if (rc < 0)
		return fail(options->expect.path, rc);
	(options->json ? counts_json : counts_text)(&counts, stdout);
	rc = options->response ? expect_write(&server->analog.sound, options->response) : 0;
	return rc < 0 ? fail(options->response, rc) : CLI_OK;
}

static int run(struct server *server, const struct options *options, struct expect *expect)
{
	char why[DOOR_WHY] = "";
	int rc = server_open(server, &options->server, why), status = CLI_FAILED;

	if (rc < 0) {
		fprintf(stderr, "x310sim: %s\n", why);
	} else {
		say_ready(server);
		server_run(server,
		    options->seconds > 0 ? clock_ns() + (uint64_t)(options->seconds * 1e9)
		                         : UINT64_MAX);
		status = report(server, options, expect);
	}
	rc = server_close(server);
	return rc < 0 && status == CLI_OK ? fail("what was transmitted", rc) : status;
}

static int x310sim(const struct cli_args *args)
{
	struct expect expect = {.n = 0};
	char why[EXPECT_WHY] = "";
	struct options options;
	struct server *server;
	int status = options_read(args, &options);

	if (status != CLI_OK)
		return status;
	if (options.expect.path &&
	    expect_load(&expect, &options.expect, options.server.analog.sound.length, why) < 0) {
		fprintf(stderr, "x310sim: %s\n", why);
		return CLI_FAILED;
	}
	server = calloc(1, sizeof(*server));
	status = server ? run(server, &options, &expect) : fail("simulator", -ENOMEM);
	expect_free(&expect);
	free(server);
	return status;
}

static const struct cli_section sections[] = {
    {"FAULTS",
        "KIND=WHEN[:MICROSECONDS], separated by commas. Packets are counted from 0 in each direction; the "
        "same seed does the same to the same packets.\n\n"
        "  loss=0.01            each packet with this probability\n"
        "  reorder=@7+19+300    packets 7, 19 and 300: after the one that follows\n"
        "  duplicate=@5/100     packet 5 and every 100th after it\n"
        "  delay=0.001:50       50 us later than those around it\n"
        "  stall=@500:2000      nothing passes for 2000 us, then all of it\n"
        "  seed=7               of the probabilities; default 1\n"
        "  of=data              what is counted and hit: data (samples), control, all"},
    {"LATENCY AND SOUNDING",
        "All times are the device's sample time, and simulated: there are no converters, no filters and no cables.\n\n"
        "--source ticks marks every sample with the time at which it is heard; what is played tells its age, if the "
        "host plays samples as they were. --sound hears a sequence and takes what is played for its answer; a response "
        "and its delay have to be shorter than the period."},
    {"STEADY",
        "Whether the host keeps up, window by window of 2 ms or 32 packets, from the first answer to the last: "
        "paced, the device took no longer than it should have; answered, that, and as many samples came as were "
        "heard; in_time, as many were played. A machine that stood still spoils the windows it stood still in."},
    {"EXAMPLES",
        "  x310sim --address 127.0.0.2 &\n"
        "  uhd_usrp_probe --args type=x300,addr=127.0.0.2\n"
        "  x310sim --port net_memif0,role=server,socket=/tmp/sfp1,socket-abstract=no &\n"
        "  x310sim --source ticks --fault-tx loss=0.001,seed=3 --json\n"
        "  x310sim --sound 4096 --expect response.f32 --clock virtual\n"
        "  x310sim --devices 2 --drift-ppm 0 --drift-ppm 2.5"},
    {"EXIT STATUS", "  0    done\n  1    a port or a file cannot be had\n  2    usage"},
};

#define DOC                                                                                                        \
	"Two radios with 4 receive and 2 transmit channels, 200 MHz, sc16, two 10 Gbit/s ports; the register\n"    \
	"map of UHD 4.0 to 4.9. Time is this machine's: rates beyond what a core can move are late, and the\n"     \
	"counts say so. With --clock virtual it waits for the host, and all is the same on any machine. `loop`\n"  \
	"joins each transmitter to the receiver of the same channel.\n\n"                                          \
	"The first of its 10 Gbit/s ports is an address of this machine. With --port there is a second one, for\n" \
	"CHDR alone, which any port of DPDK can be (memif, af_packet, a real one): one core is busy with\n"        \
	"looking at it.\n\n"                                                                                       \
	"Who may have which port: kernel UDP and memif everybody; af_packet who has CAP_NET_RAW and\n"             \
	"CAP_NET_ADMIN. memif's driver (DPDK 22.11) unmaps its rings when its peer goes, whoever is using them:\n" \
	"a host that goes in the midst of a stream, and not after it has stopped it, may take x310sim with it."

int main(int argc, char **argv)
{
	const struct cli_command commands[] = {
	    {NULL, "", 0, 0, NULL,
	        "Is an X310 on an address of this machine until it is told to end.", DOC,
	        {options_list, options_n}, x310sim, NULL},
	};
	const struct cli_program program = {
	    .name = "x310sim",
	    .section = 1,
	    .summary = "a USRP X310 without the hardware",
	    .doc =
	        "x310sim is the device's end of the wire: an unmodified UHD brings it up and streams with it.\n\n" DOC,
	    .commands = CLI_LIST(commands),
	    .sections = CLI_LIST(sections),
	};

	return cli_main(&program, argc, argv);
}
