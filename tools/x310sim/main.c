/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310sim - a USRP X310 without the hardware: the device's end of the wire, for tests and for those
 * who have none. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "tools/x310sim/carries.h"
#include "tools/x310sim/counts.h"
#include "tools/x310sim/options.h"

static int sim_fail(const char *what, int rc)
{
	fprintf(stderr, "x310sim: %s: %s\n", what, strerror(-rc));
	return CLI_FAILED;
}

static void notes_print(const struct unit *unit)
{
	for (unsigned sfp = 0; sfp < UNIT_TRANSPORTS; sfp++) {
		const struct transport *transport = unit->transports[sfp];
		char note[CARRIES_NOTE];

		if (transport != NULL && transport->note[0])
			fprintf(
			    stderr, "x310sim: %s: %s\n", transport->kind->name, transport->note);
		carries_note(&unit->options, sfp, note);
		if (note[0])
			fprintf(stderr, "x310sim: %s\n", note);
	}
}

static void ready_print(const struct server *server)
{
	for (unsigned i = 0; i < server->n_units; i++)
		notes_print(&server->units[i]);
	fprintf(stderr, "x310sim: ready on");
	for (unsigned i = 0; i < server->n_units; i++) {
		const struct in_addr ip = {htonl(server->units[i].options.ip)};
		fprintf(stderr, " %s", inet_ntoa(ip));
	}
	fprintf(stderr, "\n");
}

/* What it counted, and what a sounding found. */
static int sim_report(
    const struct server *server, const struct options *options, struct expect *expect)
{
	struct counts counts;
	int rc = counts_take(&counts, server, expect);

	if (rc < 0)
		return sim_fail(options->expect.path, rc);
	(options->json ? counts_json : counts_text)(&counts, stdout);
	rc = options->response ? expect_write(&server->analog.sound, options->response) : 0;
	return rc < 0 ? sim_fail(options->response, rc) : CLI_OK;
}

static int sim_run(struct server *server, const struct options *options, struct expect *expect)
{
	char why[TRANSPORT_WHY] = "";
	int rc = server_open(server, &options->server, why), status = CLI_FAILED;

	if (rc < 0) {
		fprintf(stderr, "x310sim: %s\n", why);
	} else {
		ready_print(server);
		server_run(server,
		    options->seconds > 0 ? clock_ns() + (uint64_t)(options->seconds * 1e9)
		                         : UINT64_MAX);
		status = sim_report(server, options, expect);
	}
	rc = server_close(server);
	return rc < 0 && status == CLI_OK ? sim_fail("what was transmitted", rc) : status;
}

static int sim_main(const struct cli_args *args)
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
	status = server ? sim_run(server, &options, &expect) : sim_fail("simulator", -ENOMEM);
	expect_free(&expect);
	free(server);
	return status;
}

static const struct cli_section sections[] = {
    {"FAULTS",
        "A list of KIND=WHEN[:MICROSECONDS], separated by commas. Packets are counted from 0 in "
        "each direction; the same seed has the same effect on the same packets.\n"
        "\n"
        "  loss=0.01            lose each packet with this probability\n"
        "  reorder=@7+19+300    send packets 7, 19 and 300 after their successors\n"
        "  duplicate=@5/100     duplicate packet 5 and every 100th packet after packet 5\n"
        "  delay=0.001:50       delay a packet by 50 us\n"
        "  stall=@500:2000      pass nothing for 2000 us, then pass everything\n"
        "  seed=7               seed of the probabilities; default 1\n"
        "  of=data              kind of packets that are counted and hit: data (samples),\n"
        "                       control or all"},
    {"OTHER FAULTS",
        "  --frame-bytes N                  a switch that passes no jumbo frames\n"
        "  --wedge-tx N                     an endpoint that hangs until the host resets it\n"
        "  --daughterboard ubx-unlocked     oscillators that do not lock\n"
        "  --fpga next, --layout-seed N     an image that no host knows, or another wiring\n"
        "  --drift-ppm PPM                  a clock that is off"},
    {"WHAT IS MISSING",
        "The Replay block of the stock images (their endpoints 4 and 5), and with it UHD's "
        "rfnoc_replay_samples_from_file: it stores samples in the DRAM of the device, which no "
        "stream between host and antenna uses. The GPSDO, PCIe, FPGA programming, the filters of "
        "DDC and DUC (samples pass as they are), and whatever is analog: gains, frequencies and "
        "switches of a daughterboard are taken and change no sample.\n"
        "\n"
        "What is there: streams from one endpoint of the device to another (rfnoc_radio_loopback), "
        "discovery by broadcast, the sample clock as the host programs it (200, 184.32, 120 MHz), "
        "pins of both GPIO banks."},
    {"ON THE MACHINE OF THE HOST",
        "The lane of a waveform whose clock is a radio never sleeps, and the kernel may wake "
        "x310sim on the CPU of the lane, where x310sim then has no time: samples come late, and "
        "the host says so. Where a machine has few CPUs, keep x310sim off that CPU: with a lane "
        "on CPU 1, `taskset -c 0 x310sim ...`."},
    {"LATENCY AND SOUNDING",
        "All times are simulated, in the sample time of the device: there are no converters, no "
        "filters and no cables.\n"
        "\n"
        "--source ticks marks every sample with the time of reception. If the host transmits the "
        "samples unchanged, x310sim measures the latency from the marks. --sound receives a known "
        "sequence and treats the transmitted samples as the response; the response and the delay "
        "of the response must be shorter than the period."},
    {"STEADY",
        "The JSON object `steady` counts windows of 2 ms or 32 packets, from the first answer of "
        "the host to the last. A window is paced if the device kept the sample rate; answered if, "
        "in addition, the host sent as many samples as the device received; in_time if, in "
        "addition, all these samples were played in time. A pause of the machine spoils only the "
        "windows of the pause. Of the paced windows, heard counts the samples that the device "
        "received, and late the samples that came after their time."},
    {"EXAMPLES",
        "  x310sim --address 127.0.0.2 &\n"
        "  uhd_usrp_probe --args type=x300,addr=127.0.0.2\n"
        "  x310sim --port net_memif0,role=server,socket=/tmp/sfp1,socket-abstract=no &\n"
        "  x310sim --source ticks --fault-tx loss=0.001,seed=3 --json\n"
        "  x310sim --fpga 4.11 --layout-seed 7 --sfp1 127.0.0.3\n"
        "  x310sim --sound 4096 --expect response.f32 --clock virtual\n"
        "  x310sim --devices 2 --drift-ppm 0 --drift-ppm 2.5"},
    {"EXIT STATUS",
        "  0    done\n"
        "  1    a port cannot be opened, or a file cannot be read or written\n"
        "  2    wrong use: the command line"},
};

#define DOC                                                                                        \
	"The simulated device has two radios with 4 receive and 2 transmit "                       \
	"channels, 200 MHz, sc16, two network ports, and the FPGA image of UHD "                   \
	"4.0 to 4.9, 4.10 or 4.11 (--fpga). x310sim keeps the time of this "                       \
	"machine: at rates above what one core can move, packets are late and "                    \
	"counted as late. With --clock virtual x310sim waits for the host, and "                   \
	"the result is the same on every machine. With the real clock the pulse per "              \
	"second comes at the whole seconds of this machine's clock, for all x310sim of this "      \
	"machine. The source `loop` connects each "                                                \
	"transmitter to the receiver of the same channel.\n\n"                                     \
	"SFP0 is an address of this machine. SFP1 is another address (--sfp1), or "                \
	"a DPDK port for CHDR alone (--port): any DPDK port will do (memif, "                      \
	"af_packet, a network card), and one core polls this port all the time. "                  \
	"Each SFP has a table of its own of the hosts that advertised themselves "                 \
	"there. The crossbar sends a packet to the SFP that the route of its "                     \
	"endpoint names, and without a route to SFP0. A packet for a host that "                   \
	"this SFP does not know is lost (counts no_address and no_route).\n\n"                     \
	"Every user may use kernel UDP and memif; af_packet needs CAP_NET_RAW and "                \
	"CAP_NET_ADMIN. A host that ends in the middle of a stream leaves the port usable: the "   \
	"next host connects to the same memif socket."

int main(int argc, char **argv)
{
	const struct cli_command commands[] = {
	    {NULL, "", 0, 0, NULL,
	        "Simulates an X310 on an address of this machine until SIGINT or SIGTERM.", DOC,
	        {options_list, options_n}, sim_main, NULL},
	};
	const struct cli_program program = {
	    .name = "x310sim",
	    .section = 1,
	    .summary = "simulate a USRP X310",
	    .doc = "x310sim behaves on the wire like the device: an unmodified UHD initialises "
	           "x310sim and streams with x310sim.\n"
	           "\n" DOC,
	    .commands = CLI_LIST(commands),
	    .sections = CLI_LIST(sections),
	};

	return cli_main(&program, argc, argv);
}
