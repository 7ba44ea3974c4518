/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310-init - makes a device ready by UHD, says what ALOE needs to stream with it, and keeps it claimed until it is told to
 * end. */
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

enum {
	CONTROL_ENDPOINT = 2, /* UHD numbers endpoint 0 so, after its own, 1 */
	OWN_ENDPOINT = 0x100, /* the first of three of each channel: UHD counts up from 1 */
	OWN_STEP = 0x10,
	CLAIMED_ENDPOINT = 0x40, /* endpoints that UHD leaves without a number get this and on */
	FIRST_BLOCK = 4,         /* control port of Radio#0, of Radio#1 three further */
	BLOCK_STEP = 3,
	SAMPLES = 256
};

struct wishes {
	struct initialise_options options;
	const char *address; /* of the device, for the samples */
	const char *port;    /* of DPDK; NULL: a socket */
	const char *own_address;
	uint64_t sfp;
	char args[256];
};

/* ---- what is printed ------------------------------------------------------------------------------------------------------- */

static unsigned device_endpoint(const struct initialise_channel *channel)
{
	return channel->rx_port == INITIALISE_FIRST_PORT ? CONTROL_ENDPOINT
	                                                 : CLAIMED_ENDPOINT + channel->rx_port;
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

/* As core/waveform/radio.h reads it. */
static void print_text(const struct wishes *wishes, const struct initialised *done)
{
	printf("# %s, initialised by UHD, which holds it while x310-init runs.\nradio: {\n",
	    done->device);
	printf("\ttype = \"x310\";\n\ttransport = \"%s\";\n\taddress = \"%s\";\n",
	    wishes->port ? "dpdk" : "udp", wishes->address);
	if (wishes->port)
		printf("\tport = \"%s\";\n", wishes->port);
	if (wishes->own_address)
		printf("\town_address = \"%s\";\n", wishes->own_address);
	printf(
	    "\tsfp = %" PRIu64 ";\n\tchannel = %s", wishes->sfp, done->n_channels > 1 ? "[" : "");
	for (unsigned i = 0; i < done->n_channels; i++)
		printf(
		    "%s%u", i ? ", " : "", 2 * done->channels[i].radio + done->channels[i].channel);
	printf("%s;\n\tinitialised = true;\n\tclock_rate = %.1f;\n\trate = %.1f;\n\tspp = %" PRIu32
	       ";\n",
	    done->n_channels > 1 ? "]" : "", done->tick_rate_hz, done->rate_hz,
	    wishes->options.samples);
	printf("\tclock_source = \"%s\";\n\ttime_source = \"%s\";\n", done->clock_source,
	    done->time_source);
	print_each(done, "rx_frequency", offsetof(struct initialise_channel, rx_hz));
	print_each(done, "rx_gain", offsetof(struct initialise_channel, rx_gain_db));
	print_each(done, "tx_frequency", offsetof(struct initialise_channel, tx_hz));
	print_each(done, "tx_gain", offsetof(struct initialise_channel, tx_gain_db));
	printf("};\n");
}

static void print_channel_json(const struct initialise_channel *c, unsigned nth)
{
	printf(
	    "%s{\"name\": \"%s\", \"block\": %d, \"channel\": %u, \"endpoint\": %u, \"endpoint_port\": %u, \"claim\": "
	    "%s, "
	    "\"transmits\": %s, \"own_endpoint\": %u, \"ticks_per_sample\": %" PRIu32
	    ", \"rx_hz\": %.9g, \"tx_hz\": %.9g, \"rx_gain_db\": %.6g, \"tx_gain_db\": %.6g, \"rx_antenna\": \"%s\", "
	    "\"tx_antenna\": \"%s\"}",
	    nth ? ", " : "", c->name, FIRST_BLOCK + BLOCK_STEP * (int)c->radio, c->channel,
	    device_endpoint(c), c->rx_port,
	    device_endpoint(c) == CONTROL_ENDPOINT ? "false" : "true",
	    c->tx_port == c->rx_port ? "true" : "false", OWN_ENDPOINT + OWN_STEP * nth,
	    c->ticks_per_sample, c->rx_hz, c->tx_hz, c->rx_gain_db, c->tx_gain_db, c->rx_antenna,
	    c->tx_antenna);
}

static void print_json(const struct wishes *wishes, const struct initialised *done)
{
	printf(
	    "{\"schema\": 1, \"device\": \"%s\", \"address\": \"%s\", \"port\": 49153, \"sfp\": %" PRIu64
	    ", \"control_endpoint\": %d, \"control_port\": %d, \"tick_rate_hz\": %.9g, \"rate_hz\": %.9g, \"samples\": "
	    "%" PRIu32 ", \"clock_source\": \"%s\", \"time_source\": \"%s\", \"channels\": [",
	    done->device, wishes->address, wishes->sfp, CONTROL_ENDPOINT, INITIALISE_FIRST_PORT,
	    done->tick_rate_hz, done->rate_hz, wishes->options.samples, done->clock_source,
	    done->time_source);
	for (unsigned i = 0; i < done->n_channels; i++)
		print_channel_json(&done->channels[i], i);
	printf("]}\n");
}

/* ---- options ------------------------------------------------------------------------------------------------------------------ */

static int get_frontend(const struct cli_args *args, struct initialise_options *options)
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

static int get_wishes(const struct cli_args *args, struct wishes *ret)
{
	const char *more = cli_get(args, "args"), *streams = cli_get(args, "stream-address");
	uint64_t samples = SAMPLES;

	*ret = (struct wishes){.address = streams ? streams : args->args[0],
	    .port = cli_get(args, "port"),
	    .own_address = cli_get(args, "own-address")};
	ret->sfp = ret->port != NULL;
	if (ret->port && (!ret->own_address || !streams))
		return cli_fail(args,
		    "--port needs --own-address IP, as no kernel gives it one, and --stream-address IP: UHD "
		    "goes by the device's other port");
	ret->options.rate_hz = 100e6;
	if (cli_real(args, "rate", 1e3, 200e6, &ret->options.rate_hz) < 0 ||
	    cli_whole(args, "spp", 1, 1996, &samples) < 0 ||
	    cli_whole(args, "sfp", 0, 1, &ret->sfp) < 0 ||
	    get_frontend(args, &ret->options) != CLI_OK)
		return CLI_USAGE;
	ret->options.samples = (uint32_t)samples;
	if ((size_t)snprintf(ret->args, sizeof(ret->args), "type=x300,addr=%s%s%s", args->args[0],
	        more ? "," : "", more ? more : "") >= sizeof(ret->args))
		return cli_fail(
		    args, "--args is longer than %zu characters", sizeof(ret->args) - 32);
	ret->options.args = ret->args;
	return CLI_OK;
}

/* ---- the program -------------------------------------------------------------------------------------------------------------- */

static void wait_for_end(const sigset_t *ends, double seconds)
{
	const struct timespec wait = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};

	if (seconds > 0)
		(void)sigtimedwait(ends, NULL, &wait);
	else
		(void)sigwaitinfo(ends, NULL);
}

static int x310_init(const struct cli_args *args)
{
	char why[INITIALISE_WHY] = "";
	struct initialised done;
	struct wishes wishes;
	double seconds = 0;
	sigset_t ends;

	if (get_wishes(args, &wishes) != CLI_OK ||
	    cli_real(args, "seconds", 0.001, 1e9, &seconds) < 0)
		return CLI_USAGE;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL); /* for UHD's threads as well */
	setenv("UHD_LOG_CONSOLE_LEVEL", "fatal", 0);
	if (!initialise(&wishes.options, why, &done)) {
		fprintf(stderr, "x310-init: %s: %s\n", args->args[0], why);
		return CLI_FAILED;
	}
	(cli_has(args, "json") ? print_json : print_text)(&wishes, &done);
	fflush(stdout);
	fprintf(stderr, "x310-init: ready; SIGINT or SIGTERM ends it and gives the device back\n");
	wait_for_end(&ends, seconds);
	initialise_end(&done);
	return CLI_OK;
}

static const struct cli_option options[] = {
    {"rate", 'r', "HZ", NULL, false, "samples per second, both directions; default 100e6"},
    {"spp", 0, "N", NULL, false, "samples per packet, 1 .. 1996; default 256"},
    {"freq", 'f', "HZ", NULL, false, "of both frontends; default: as they are"},
    {"rx-freq", 0, "HZ", NULL, false, "of the receiver alone"},
    {"tx-freq", 0, "HZ", NULL, false, "of the transmitter alone"},
    {"gain", 'g', "DB", NULL, false, "of both frontends; default: as they are"},
    {"rx-gain", 0, "DB", NULL, false, "of the receiver alone"},
    {"tx-gain", 0, "DB", NULL, false, "of the transmitter alone"},
    {"rx-antenna", 0, "NAME", NULL, false, "TX/RX, RX2, ...: as the daughterboard calls it"},
    {"tx-antenna", 0, "NAME", NULL, false, "TX/RX, ..."},
    {"clock-source", 'c', "NAME", NULL, false, "internal, external, gpsdo"},
    {"time-source", 't', "NAME", NULL, false, "internal, external, gpsdo"},
    {"subdev", 's', "SPEC", NULL, false,
        "channels of both directions: \"A:0\", \"A:0 B:0\"; default: the first of A"},
    {"args", 'a', "ARGS", NULL, false,
        "further device arguments of UHD: master_clock_rate=184.32e6"},
    {"stream-address", 0, "IP", NULL, false,
        "where ALOE is to reach the device, if not at IP: its other SFP"},
    {"sfp", 0, "N", NULL, false, "the SFP of that address, 0 or 1; default 0, with --port 1"},
    {"port", 'p', "PORT", NULL, false,
        "ALOE goes by this port of DPDK: net_memif0,... or a PCI address"},
    {"own-address", 0, "IP", NULL, false, "of that port, or of the interface to be used"},
    {"json", 'j', NULL, NULL, false, "all of it as one JSON object"},
    {"seconds", 0, "S", NULL, false, "end after so long; default: at SIGINT or SIGTERM"},
};

static const char doc[] =
    "UHD sets clocks, converters, daughterboards, rates and samples per packet, and makes no streamer: the data sides "
    "of the "
    "stream endpoints stay untouched, and ALOE opens them from a socket or port of its own, with endpoint numbers of "
    "its own "
    "(256 and on). Prints the group `radio:` of a platform file on standard output when the device is ready; then it "
    "keeps "
    "running, because UHD's claim on the device lapses 2 s after it was last renewed.\n\n"
    "Asynchronous messages (underrun, late, overrun) go to ALOE from the moment it configures its streams, and it "
    "answers them. "
    "Raw samples are not scaled: DDC and DUC have gains that UHD's own streamer would take out.\n\n"
    "If DPDK is to have the network port, UHD has no way through it: let UHD go by one SFP and ALOE by the other "
    "(--stream-address, --port).";

static const struct cli_command commands[] = {
    {NULL, "IP", 1, 1, NULL, "Initialises the device at IP and holds it until it is told to end.",
        doc, CLI_LIST(options), x310_init},
};

static const struct cli_section sections[] = {
    {"EXAMPLES",
        "  x310-init 192.168.40.2 --rate 100e6 --freq 2.4e9 --gain 10 > radio.conf\n"
        "  aloe run x310-passthrough.conf --radio radio.conf\n"
        "  x310-init 192.168.10.2 --stream-address 192.168.40.2 --port 0000:81:00.0 --own-address 192.168.40.1\n"
        "  x310sim --address 127.0.0.2 & x310-init 127.0.0.2 --rate 1e6"},
    {"EXIT STATUS",
        "  0    it was ended\n  1    the device cannot be had, or not as it was asked for\n  2    usage"},
};

static const struct cli_program program = {
    .name = "x310-init",
    .section = 1,
    .summary = "make a USRP X310 ready by UHD, for ALOE to stream with",
    .doc = "Built where libuhd-dev is installed.",
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
