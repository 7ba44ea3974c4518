/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310-init - makes a device ready by UHD, says what ALOE needs to stream with it, and keeps it
 * claimed until it is told to end. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/cli/cli.h"
#include "tools/x310-init/initialise.h"
#include "tools/x310-init/look.h"

enum {
	OWN_ENDPOINT = 0x100, /* the first of three of each channel: UHD counts up from 1 */
	OWN_STEP = 0x10,
	SAMPLES = 256,
	WRONG_FPGA = 2 /* exit status */
};

struct wishes {
	struct initialise_options options;
	const char *address; /* of the device, for the samples */
	const char *port;    /* of DPDK; NULL: a socket */
	const char *own_address;
	uint32_t uhd_ip, ip, own_ip; /* of these addresses; own_ip 0: any */
	char args[256];
};

/* UHD's graph, and what the device says. */
struct made {
	struct initialised uhd;
	struct x310_look look;
};

/* ---- what is printed ------------------------------------------------------------------------ */

static unsigned number_of(const struct initialise_channel *channel)
{
	return SURVEY_CHANNELS * channel->radio + channel->channel;
}

static unsigned port_of(const struct made *made, unsigned nth, bool receives)
{
	const struct x310_path *path = x310_layout_path(
	    &made->look.survey.layout, number_of(&made->uhd.channels[nth]), receives);

	return path != NULL ? path->endpoint_port : 0;
}

enum whole { NUMBER, BLOCK, RX_PORT, TX_PORT };

static unsigned whole_of(const struct made *made, unsigned nth, enum whole which)
{
	const struct initialise_channel *channel = &made->uhd.channels[nth];

	if (which == NUMBER)
		return number_of(channel);
	if (which == BLOCK)
		return channel->block;
	return port_of(made, nth, which == RX_PORT);
}

static void print_whole(const struct made *made, const char *key, enum whole which)
{
	const bool many = made->uhd.n_channels > 1;

	printf("\t%s = %s", key, many ? "[" : "");
	for (unsigned i = 0; i < made->uhd.n_channels; i++)
		printf("%s%u", i ? ", " : "", whole_of(made, i, which));
	printf("%s;\n", many ? "]" : "");
}

/* One number, or a list with one for each channel. */
static void print_each(const struct initialised *done, const char *key, size_t offset)
{
	printf("\t%s = %s", key, done->n_channels > 1 ? "[" : "");
	for (unsigned i = 0; i < done->n_channels; i++) {
		double value;

		memcpy(&value, (const char *)&done->channels[i] + offset, sizeof(value));
		printf("%s%.1f", i ? ", " : "", value);
	}
	printf("%s;\n", done->n_channels > 1 ? "]" : "");
}

/* As core/waveform/radio_file.h reads it. By DPDK ALOE comes by another port than we do. */
static void print_layout(const struct wishes *wishes, const struct made *made)
{
	const struct x310_layout *layout = &made->look.survey.layout;

	printf("\tfpga = \"%s\";\n", layout->fpga->name);
	if (wishes->port == NULL)
		printf("\tsfp = %u;\n", layout->own_port);
	printf("\tendpoint = %u;\n", layout->control_endpoint);
	print_whole(made, "channel", NUMBER);
	print_whole(made, "block", BLOCK);
	print_whole(made, "rx_port", RX_PORT);
	print_whole(made, "tx_port", TX_PORT);
}

static void print_text(const struct wishes *wishes, const struct made *made)
{
	const struct initialised *done = &made->uhd;

	printf("# %s, initialised by UHD %s; x310-init holds the device while x310-init runs.\n"
	       "radio: {\n",
	    done->device, initialise_uhd());
	printf("\ttype = \"x310\";\n\ttransport = \"%s\";\n\taddress = \"%s\";\n",
	    wishes->port ? "dpdk" : "udp", wishes->address);
	if (wishes->port)
		printf("\tport = \"%s\";\n", wishes->port);
	if (wishes->own_address)
		printf("\town_address = \"%s\";\n", wishes->own_address);
	print_layout(wishes, made);
	printf("\tinitialised = true;\n\tclock_rate = %.1f;\n\trate = %.1f;\n\tspp = %" PRIu32
	       ";\n",
	    done->tick_rate_hz, done->rate_hz, wishes->options.samples);
	printf("\tclock_source = \"%s\";\n\ttime_source = \"%s\";\n", done->clock_source,
	    done->time_source);
	print_each(done, "rx_frequency", offsetof(struct initialise_channel, rx_hz));
	print_each(done, "rx_gain", offsetof(struct initialise_channel, rx_gain_db));
	print_each(done, "tx_frequency", offsetof(struct initialise_channel, tx_hz));
	print_each(done, "tx_gain", offsetof(struct initialise_channel, tx_gain_db));
	printf("};\n");
}

static void print_channel_json(const struct made *made, unsigned nth)
{
	const struct initialise_channel *c = &made->uhd.channels[nth];

	printf("%s{\"name\": \"%s\", \"number\": %u, \"block\": %u, \"rx_port\": %u, "
	       "\"tx_port\": %u, \"transmits\": %s, \"own_endpoint\": %u, "
	       "\"ticks_per_sample\": %" PRIu32
	       ", \"rx_hz\": %.9g, \"tx_hz\": %.9g, \"rx_gain_db\": %.6g, \"tx_gain_db\": %.6g, "
	       "\"rx_antenna\": \"%s\", \"tx_antenna\": \"%s\"}",
	    nth ? ", " : "", c->name, number_of(c), c->block, port_of(made, nth, true),
	    port_of(made, nth, false), port_of(made, nth, false) ? "true" : "false",
	    OWN_ENDPOINT + OWN_STEP * nth, c->ticks_per_sample, c->rx_hz, c->tx_hz, c->rx_gain_db,
	    c->tx_gain_db, c->rx_antenna, c->tx_antenna);
}

static void print_json(const struct wishes *wishes, const struct made *made)
{
	const struct x310_layout *layout = &made->look.survey.layout;
	const struct initialised *done = &made->uhd;

	printf("{\"schema\": 2, \"device\": \"%s\", \"address\": \"%s\", \"port\": 49153, "
	       "\"fpga\": \"%s\", \"control_endpoint\": %u, \"control_port\": %u, ",
	    done->device, wishes->address, layout->fpga->name, layout->control_endpoint,
	    layout->control_port);
	if (wishes->port == NULL)
		printf("\"sfp\": %u, ", layout->own_port);
	printf("\"tick_rate_hz\": %.9g, \"rate_hz\": %.9g, \"samples\": %" PRIu32
	       ", \"clock_source\": \"%s\", \"time_source\": \"%s\", \"channels\": [",
	    done->tick_rate_hz, done->rate_hz, wishes->options.samples, done->clock_source,
	    done->time_source);
	for (unsigned i = 0; i < done->n_channels; i++)
		print_channel_json(made, i);
	printf("]}\n");
}

/* ---- options ------------------------------------------------------------------------ */

static int analog_get(const struct cli_args *args, struct initialise_options *options)
{
	double hz = NAN, gain_db = NAN;

	if (cli_real(args, "freq", 0, 1e11, &hz) < 0 ||
	    cli_real(args, "gain", -200, 200, &gain_db) < 0)
		return CLI_USAGE;
	options->rx_hz = options->tx_hz = hz;
	options->rx_gain_db = options->tx_gain_db = gain_db;
	if (cli_real(args, "rx-freq", 0, 1e11, &options->rx_hz) < 0 ||
	    cli_real(args, "tx-freq", 0, 1e11, &options->tx_hz) < 0 ||
	    cli_real(args, "rx-gain", -200, 200, &options->rx_gain_db) < 0 ||
	    cli_real(args, "tx-gain", -200, 200, &options->tx_gain_db) < 0)
		return CLI_USAGE;
	options->rx_antenna = cli_get(args, "rx-antenna");
	options->tx_antenna = cli_get(args, "tx-antenna");
	options->clock_source = cli_get(args, "clock-source");
	options->time_source = cli_get(args, "time-source");
	options->subdev = cli_get(args, "subdev");
	return CLI_OK;
}

static int get_ip(const struct cli_args *args, const char *text, uint32_t *ret)
{
	struct in_addr address;

	if (text == NULL)
		return CLI_OK;
	if (inet_pton(AF_INET, text, &address) != 1)
		return cli_fail(args,
		    "%s is not an address; an IPv4 address like 192.168.40.2 is needed", text);
	*ret = ntohl(address.s_addr);
	return CLI_OK;
}

static int get_wishes(const struct cli_args *args, struct wishes *ret)
{
	const char *more = cli_get(args, "args"), *streams = cli_get(args, "stream-address");
	uint64_t samples = SAMPLES;

	*ret = (struct wishes){.address = streams ? streams : args->args[0],
	    .port = cli_get(args, "port"),
	    .own_address = cli_get(args, "own-address")};
	if (get_ip(args, args->args[0], &ret->uhd_ip) != CLI_OK ||
	    get_ip(args, ret->address, &ret->ip) != CLI_OK ||
	    get_ip(args, ret->own_address, &ret->own_ip) != CLI_OK)
		return CLI_USAGE;
	if (ret->port && (!ret->own_address || !streams))
		return cli_fail(args,
		    "--port needs --own-address IP, because the kernel gives a DPDK port no "
		    "address, and --stream-address IP, because UHD uses the other port of the "
		    "device");
	ret->options.rate_hz = 100e6;
	if (cli_real(args, "rate", 1e3, 200e6, &ret->options.rate_hz) < 0 ||
	    cli_whole(args, "spp", 1, 1996, &samples) < 0 ||
	    analog_get(args, &ret->options) != CLI_OK)
		return CLI_USAGE;
	ret->options.samples = (uint32_t)samples;
	if ((size_t)snprintf(ret->args, sizeof(ret->args), "type=x300,addr=%s%s%s", args->args[0],
	        more ? "," : "", more ? more : "") >= sizeof(ret->args))
		return cli_fail(
		    args, "--args may have at most %zu characters", sizeof(ret->args) - 32);
	ret->options.args = ret->args;
	return CLI_OK;
}

/* ---- the program ------------------------------------------------------------------------ */

static void wait_for_end(const sigset_t *ends, double seconds)
{
	const struct timespec wait = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};

	if (seconds > 0)
		(void)sigtimedwait(ends, NULL, &wait);
	else
		(void)sigwaitinfo(ends, NULL);
}

static int say(const struct cli_args *args, const char *why, int status)
{
	fprintf(stderr, "x310-init: %s: %s\n", args->args[0], why);
	return status;
}

/* Where UHD's graph and the device do not say the same, neither is believed. */
static bool is_agreed(const struct made *made, char *ret_why, size_t size)
{
	const struct survey *survey = &made->look.survey;

	if (!made->look.found) {
		snprintf(ret_why, size, "the device does not say what it consists of: %s",
		    survey->why[0] ? survey->why : "no answer");
		return false;
	}
	for (unsigned i = 0; i < made->uhd.n_channels; i++) {
		const struct initialise_channel *c = &made->uhd.channels[i];
		const unsigned rx = port_of(made, i, true), tx = port_of(made, i, false);
		const struct x310_radio_layout *radio = &survey->layout.radios[c->radio];

		if (c->radio < survey->layout.n_radios && radio->port == c->block &&
		    (rx ? survey->endpoints[rx].instance : -1) == c->rx_endpoint &&
		    (tx ? survey->endpoints[tx].instance : -1) == c->tx_endpoint)
			continue;
		snprintf(ret_why, size,
		    "UHD's graph and the device do not agree on where channel %s lies", c->name);
		return false;
	}
	return true;
}

/* CLI_OK; or what to exit with after it has said why. The FPGA image is looked at before UHD is,
 * and once more by what UHD has enabled, where UHD cannot have the device. */
static int make(const struct cli_args *args, const struct wishes *wishes, struct made *ret)
{
	const char *address = wishes->port ? args->args[0] : wishes->address,
	           *uhd = initialise_uhd();
	char why[INITIALISE_WHY] = "", uhd_why[INITIALISE_WHY] = "";
	const uint32_t own = wishes->port ? 0 : wishes->own_ip;
	const uint32_t ip = wishes->port ? wishes->uhd_ip : wishes->ip;
	bool done;

	if (look_at(ip, own, &ret->look, why) != 0)
		return say(args, why, CLI_FAILED);
	if (look_refuses(&ret->look, address, uhd, why, sizeof(why)))
		return say(args, why, WRONG_FPGA);
	done = initialise(&wishes->options, uhd_why, &ret->uhd);
	if (look_at(ip, own, &ret->look, why) == 0 &&
	    look_refuses(&ret->look, address, uhd, why, sizeof(why)))
		return say(args, why, WRONG_FPGA);
	if (done && is_agreed(ret, why, sizeof(why)))
		return CLI_OK;
	if (done)
		initialise_end(&ret->uhd);
	return say(args, done ? why : uhd_why, CLI_FAILED);
}

static int x310_init(const struct cli_args *args)
{
	static struct made made;
	struct wishes wishes;
	double seconds = 0;
	sigset_t ends;
	int status;

	if (get_wishes(args, &wishes) != CLI_OK ||
	    cli_real(args, "seconds", 0.001, 1e9, &seconds) < 0)
		return CLI_USAGE;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL); /* for UHD's threads as well */
	setenv("UHD_LOG_CONSOLE_LEVEL", "fatal", 0);
	status = make(args, &wishes, &made);
	if (status != CLI_OK)
		return status;
	(cli_has(args, "json") ? print_json : print_text)(&wishes, &made);
	fflush(stdout);
	fprintf(stderr,
	    "x310-init: the device is ready; SIGINT or SIGTERM ends x310-init and "
	    "releases the device\n");
	wait_for_end(&ends, seconds);
	initialise_end(&made.uhd);
	return CLI_OK;
}

static const struct cli_option options[] = {
    {"rate", 'r', "HZ", NULL, false, "samples per second in both directions; default 100e6"},
    {"spp", 0, "N", NULL, false, "samples per packet, 1 .. 1996; default 256"},
    {"freq", 'f', "HZ", NULL, false, "frequency of both directions; default: unchanged"},
    {"rx-freq", 0, "HZ", NULL, false, "frequency of the receiver"},
    {"tx-freq", 0, "HZ", NULL, false, "frequency of the transmitter"},
    {"gain", 'g', "DB", NULL, false, "gain of both directions; default: unchanged"},
    {"rx-gain", 0, "DB", NULL, false, "gain of the receiver"},
    {"tx-gain", 0, "DB", NULL, false, "gain of the transmitter"},
    {"rx-antenna", 0, "NAME", NULL, false,
        "receive antenna, with the name that the daughterboard "
        "uses: TX/RX, RX2, ..."},
    {"tx-antenna", 0, "NAME", NULL, false,
        "transmit antenna, with the name that the daughterboard "
        "uses: TX/RX, ..."},
    {"clock-source", 'c', "NAME", NULL, false, "source of the clock: internal, external, gpsdo"},
    {"time-source", 't', "NAME", NULL, false, "source of the time: internal, external, gpsdo"},
    {"subdev", 's', "SPEC", NULL, false,
        "channels of both directions, such as \"A:0\" or \"A:0 B:0\"; default: the first channel "
        "of A"},
    {"args", 'a', "ARGS", NULL, false,
        "further device arguments of UHD, such as master_clock_rate=184.32e6"},
    {"stream-address", 0, "IP", NULL, false,
        "address at which ALOE reaches the device; default IP, else the address of the other SFP"},
    {"port", 'p', "PORT", NULL, false, "DPDK port that ALOE uses, net_memif0,... or a PCI address"},
    {"own-address", 0, "IP", NULL, false,
        "IP address of the DPDK port, or of the network "
        "interface that ALOE uses"},
    {"json", 'j', NULL, NULL, false, "print the settings as one JSON object"},
    {"seconds", 0, "S", NULL, false, "end after S seconds; default: at SIGINT or SIGTERM"},
};

static const char doc[] =
    "UHD sets clocks, converters, daughterboards, rates and samples per packet, but opens no "
    "stream. ALOE opens the streams from a socket or a port of its own, with endpoint numbers of "
    "its own (256 and above). When the device is ready, x310-init prints the group `radio:` of a "
    "radio file on standard output. Then x310-init keeps running, because UHD's claim on the "
    "device lapses 2 s after the last renewal.\n"
    "\n"
    "As soon as ALOE configures the streams, the device sends asynchronous messages (underrun, "
    "late, overrun) to ALOE, and ALOE answers these messages. Raw samples are not scaled: DDC and "
    "DUC have gains that UHD's own streamer would compensate.\n"
    "\n"
    "Before that x310-init asks the device which FPGA image it has: UHD only initialises the "
    "images of its own releases (4.0 to 4.9, 4.10, 4.11). The radio file says which image "
    "was found, by which SFP the device is reached, and where the channels lie in the image; "
    "ALOE asks the device again, and refuses a device that says otherwise.\n"
    "\n"
    "UHD cannot use a network port that DPDK has taken. In this case UHD uses one SFP and ALOE the "
    "other SFP (--stream-address, --port).";

static const struct cli_command commands[] = {
    {NULL, "IP", 1, 1, NULL,
        "Initialises the device at IP and holds the device until SIGINT or "
        "SIGTERM.",
        doc, CLI_LIST(options), x310_init},
};

static const struct cli_section sections[] = {
    {"EXAMPLES",
        "  x310-init 192.168.40.2 --rate 100e6 --freq 2.4e9 --gain 10 > radio.conf\n"
        "  aloe run x310-passthrough.conf --radio radio.conf\n"
        "  x310-init 192.168.10.2 --stream-address 192.168.40.2 --port 0000:81:00.0 --own-address "
        "192.168.40.1\n"
        "  x310sim --address 127.0.0.2 & x310-init 127.0.0.2 --rate 1e6"},
    {"EXIT STATUS",
        "  0    ended by SIGINT, SIGTERM or --seconds\n"
        "  1    the device does not answer, or does not support the settings\n"
        "  2    wrong use: the command line, or an FPGA image that the installed UHD or ALOE "
        "does not\n       know"},
};

static const struct cli_program program = {
    .name = "x310-init",
    .section = 1,
    .summary = "initialise a USRP X310 with UHD, so that ALOE can stream",
    .doc = "Built where libuhd-dev is installed.",
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
