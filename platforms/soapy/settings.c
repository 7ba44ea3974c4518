/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/soapy/settings.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { CHANNEL_MAX = 63 };

static const char *const directions[] = {"rx", "tx", "both", NULL};

#define AT(field) offsetof(struct soapy_settings, field)
const struct radio_key soapy_keys[SOAPY_KEYS] = {
    {"args", RADIO_TEXT, AT(args),
        "device, as SoapySDR names it: \"driver=rtlsdr\", \"driver=lime,serial=...\"; "
        "`SoapySDRUtil --find` lists the devices",
        .needed = "args = \"driver=NAME\""},
    {"direction", RADIO_CHOICE, AT(direction),
        "\"rx\": the device receives; \"tx\": the device sends; \"both\"", .words = directions},
    {"channels", RADIO_INTS, AT(channels),
        "number of the device's channel, or a list of two: [0, 1]", 0, CHANNEL_MAX, "", .value = 0},
    {"frequency", RADIO_REALS, AT(frequency), "centre frequency: a number, or a list", 0, 1e12,
        "Hz", .value = NAN, .otherwise = "as the device has it"},
    {"gain", RADIO_REALS, AT(gain), "gain: a number, or a list", -1000, 1000, "dB", .value = NAN,
        .otherwise = "as the device has it"},
    {"bandwidth", RADIO_REALS, AT(bandwidth), "width of the analog filter: a number, or a list", 0,
        1e10, "Hz", .value = NAN, .otherwise = "as the device has it"},
    {"antenna", RADIO_TEXT, AT(antenna), "name of the antenna, as the device names it",
        .otherwise = "as the device has it"},
    {"tx_frequency", RADIO_REALS, AT(tx_frequency), "centre frequency of transmission", 0, 1e12,
        "Hz", .value = NAN, .otherwise = "frequency"},
    {"tx_gain", RADIO_REALS, AT(tx_gain), "gain of transmission", -1000, 1000, "dB", .value = NAN,
        .otherwise = "gain"},
    {"tx_bandwidth", RADIO_REALS, AT(tx_bandwidth), "width of the analog filter of transmission", 0,
        1e10, "Hz", .value = NAN, .otherwise = "bandwidth"},
    {"tx_antenna", RADIO_TEXT, AT(tx_antenna), "name of the antenna of transmission",
        .otherwise = "as the device has it"},
    {"tx_advance", RADIO_INT, AT(tx_advance),
        "samples from the start of a slot to the transmission of what the slot produced; needs a "
        "device that has a time",
        0, 1e9, "samples", .value = -1, .otherwise = "none: sent at once, untimed"},
    {"patience_ms", RADIO_REAL, AT(patience_ms),
        "time without samples after which the slots go on at the nominal rate", 0.01, 1e5, "ms",
        .value = 100},
};

const char soapy_manual[] =
    "The device has the sample rate of the waveform. Samples are moved as CS16 if the device has "
    "16 bits of full scale, else as CF32. ALOE makes all calls of SoapySDR in a thread of "
    "ordinary priority beside the lane, so a module that waits or hangs delays no slot.\n\n"
    "Slots begin by the time stamps of the device, if the device has them, else by the number of "
    "samples. If the device reports an overflow, the next time stamp tells how many samples are "
    "missing, and these samples are ABSENT. A device without time stamps cannot tell the number: "
    "then the rest of the packet is ABSENT, and the loss is counted as a loss of unknown size "
    "(unsized). Underruns and late packets are read from the device's status and counted.\n\n"
    "If the device ends its stream, sends nothing for two seconds or hangs, ALOE says so, the "
    "slots go on, and ALOE opens the device again every second (a device that hangs: as soon as "
    "its module returns). Each channel sends in a stream of its own. With direction = \"tx\" the "
    "slots begin by the device's time, or by this machine's if the device has none.\n\n"
    "Needed on the machine of the radio: SoapySDR's library and the module of the device (Debian: "
    "libsoapysdr0.8, soapysdr0.8-module-rtlsdr, ...). A radio file has one group of this type; a "
    "second channel is named in channels.";

static void check_lists(const struct radio_check *check, struct soapy_settings *settings)
{
	struct radio_numbers *const lists[] = {&settings->frequency, &settings->gain,
	    &settings->bandwidth, &settings->tx_frequency, &settings->tx_gain,
	    &settings->tx_bandwidth};
	static const char *const names[] = {
	    "frequency", "gain", "bandwidth", "tx_frequency", "tx_gain", "tx_bandwidth"};
	struct radio_numbers *channels = &settings->channels;

	if (radio_line(check, "channels") == 0)
		*channels = (struct radio_numbers){.n = 1};
	if (channels->n == 2 && channels->item[0] == channels->item[1])
		diag_error(check->diag, check->file, radio_line(check, "channels"),
		    "channels = [%.0f, %.0f] names a channel twice; two channels are needed",
		    channels->item[0], channels->item[1]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const int line = radio_line(check, names[i]);

		if (line != 0 && lists[i]->is_list && lists[i]->n != channels->n)
			diag_error(check->diag, check->file, line,
			    "%s has %u numbers, but channels has %u; one number, or one for each "
			    "channel, is needed",
			    names[i], lists[i]->n, channels->n);
		for (uint32_t c = 0; c < RADIO_NUMBERS_MAX; c++)
			if (line == 0)
				lists[i]->item[c] = NAN;
			else if (!lists[i]->is_list)
				lists[i]->item[c] = lists[i]->item[0];
	}
}

static void check_sending(const struct radio_check *check, const struct soapy_settings *settings)
{
	static const char *const names[] = {
	    "tx_frequency", "tx_gain", "tx_bandwidth", "tx_antenna", "tx_advance"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (settings->direction == SOAPY_RX && radio_line(check, names[i]) != 0)
			diag_error(check->diag, check->file, radio_line(check, names[i]),
			    "%s is for a device that sends; direction = \"tx\" or \"both\" is "
			    "needed",
			    names[i]);
}

void soapy_check(void *self, const struct radio_check *check)
{
	struct soapy_settings *settings = self;

	if (check->first != NULL)
		diag_error(check->diag, check->file, check->line,
		    "radio: type = \"soapy\" has one group; a second channel of the device is "
		    "named by channels = [0, 1]");
	check_lists(check, settings);
	check_sending(check, settings);
	/* what is not said of transmission holds as said of reception */
	for (uint32_t c = 0; c < RADIO_NUMBERS_MAX; c++) {
		if (isnan(settings->tx_frequency.item[c]))
			settings->tx_frequency.item[c] = settings->frequency.item[c];
		if (isnan(settings->tx_gain.item[c]))
			settings->tx_gain.item[c] = settings->gain.item[c];
		if (isnan(settings->tx_bandwidth.item[c]))
			settings->tx_bandwidth.item[c] = settings->bandwidth.item[c];
	}
}
