/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/radio.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"
#include "core/waveform/scan.h"

static const char *const types[] = {"x310", NULL};
static const char *const transports[] = {"udp", "dpdk", NULL};
static const char *const sources[] = {"internal", "external", "gpsdo", NULL};
static const char *const keys[] = {"type", "transport", "address", "own_address", "port", "eal",
    "sfp", "channel", "spp", "clock_rate", "tx_advance", "patience_ms", "initialised", "rate",
    "flow_control", "clock_source", "time_source", "rx_frequency", "rx_gain", "tx_frequency",
    "tx_gain", "multicast", "listen"};

enum { KEYS = sizeof(keys) / sizeof(keys[0]), CHANNEL_MAX = 3 };

struct reader {
	struct wf_parse parse;
	struct wf_radio *radio;
	const config_setting_t *group;
};

static bool find(const struct reader *reader, const char *key, struct wf_raw *ret)
{
	const config_setting_t *setting = config_setting_get_member(reader->group, key);

	if (setting)
		*ret = wf_raw_setting(&reader->parse, setting);
	return setting != NULL;
}

static void missing(struct reader *reader, const char *key, const char *needed)
{
	diag_error(reader->parse.diag, reader->parse.file, reader->radio->line,
	    "radio: %s is missing, %s is needed", key, needed);
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static void want_real(
    struct reader *reader, const char *key, double min, double max, const char *unit, double *ret)
{
	struct wf_raw raw;

	if (find(reader, key, &raw))
		(void)wf_want_real(&raw, key, min, max, unit, reader->parse.diag, ret);
}

static bool want_whole(
    struct reader *reader, const char *key, double min, double max, const char *unit, double *ret)
{
	struct wf_raw raw;

	return find(reader, key, &raw) &&
	    wf_want_int(&raw, key, min, max, unit, reader->parse.diag, ret) == 0;
}

static int want_text(struct reader *reader, const char *key, char **ret)
{
	const char *text = "";
	struct wf_raw raw;

	if (find(reader, key, &raw))
		(void)wf_want_text(&raw, key, reader->parse.diag, &text);
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

/* Position of the word; -1: it is not there, or wrong. */
static int want_choice(struct reader *reader, const char *key, const char *const *names)
{
	struct wf_raw raw;
	int choice = -1;

	if (find(reader, key, &raw))
		(void)wf_want_choice(&raw, key, names, reader->parse.diag, &choice);
	return choice;
}

static int want_source(struct reader *reader, const char *key, char **ret)
{
	const int choice = want_choice(reader, key, sources);

	*ret = strdup(choice < 0 ? "" : sources[choice]);
	return *ret ? 0 : -ENOMEM;
}

static void want_address(struct reader *reader, const char *key, uint32_t *ret)
{
	struct in_addr address;
	struct wf_raw raw;
	const char *text;

	if (!find(reader, key, &raw) || wf_want_text(&raw, key, reader->parse.diag, &text) < 0)
		return;
	if (inet_pton(AF_INET, text, &address) == 1)
		*ret = ntohl(address.s_addr);
	else
		diag_error(reader->parse.diag, raw.where, raw.line,
		    "%s = \"%.60s\", an IPv4 address like \"192.168.40.2\" is needed", key, text);
}

static void want_group(struct reader *reader, const char *key)
{
	const char *text, *colon;
	struct wf_radio *radio = reader->radio;
	char ip[INET_ADDRSTRLEN] = "", end;
	struct in_addr address;
	struct wf_raw raw;
	unsigned port = 0;

	if (!find(reader, key, &raw) || wf_want_text(&raw, key, reader->parse.diag, &text) < 0)
		return;
	colon = strchr(text, ':');
	if (colon != NULL && colon - text < INET_ADDRSTRLEN)
		memcpy(ip, text, (size_t)(colon - text));
	if (inet_pton(AF_INET, ip, &address) == 1 && IN_MULTICAST(ntohl(address.s_addr)) &&
	    sscanf(colon, ":%5u%c", &port, &end) == 1 && port > 0 && port <= UINT16_MAX) {
		radio->group = ntohl(address.s_addr);
		radio->group_port = (uint16_t)port;
		return;
	}
	diag_error(reader->parse.diag, raw.where, raw.line,
	    "%s = \"%.60s\", a group in 224.0.0.0/4 and a port like \"239.255.10.1:49153\" are needed",
	    key, text);
}

/* One number for all channels, or a list with one for each; `step` doubles from one channel's place to the next. */
static int want_each(
    struct reader *reader, const char *key, double max, const char *unit, double *ret)
{
	const size_t step = sizeof(struct wf_radio_channel) / sizeof(double),
	             n = reader->radio->n_channels;
	double *list = NULL, one = NAN;
	size_t len = 0;
	struct wf_raw raw;
	int rc;

	for (size_t c = 0; c < WF_RADIO_CHANNELS_MAX; c++)
		ret[c * step] = NAN;
	if (!find(reader, key, &raw))
		return 0;
	if (!config_setting_is_list(raw.setting) && !config_setting_is_array(raw.setting)) {
		(void)wf_want_real(&raw, key, -max, max, unit, reader->parse.diag, &one);
		for (size_t c = 0; c < n; c++)
			ret[c * step] = one;
		return 0;
	}
	rc = wf_want_numbers(
	    &raw, key, false, -max, max, WF_RADIO_CHANNELS_MAX, reader->parse.diag, &list, &len);
	if (rc == 0 && len != n)
		diag_error(reader->parse.diag, raw.where, raw.line,
		    "%s has %zu items, the radio has %zu channel%s", key, len, n,
		    n == 1 ? "" : "s");
	for (size_t c = 0; rc == 0 && c < len && c < n; c++)
		ret[c * step] = list[c];
	free(list);
	return rc == -ENOMEM ? rc : 0;
}

/* ---- one radio --------------------------------------------------------------------------------------------------------- */

static void check_keys(struct reader *reader)
{
	for (int i = 0; i < config_setting_length(reader->group) && wf_enough(&reader->parse) == 0;
	     i++) {
		const config_setting_t *setting =
		    config_setting_get_elem(reader->group, (unsigned)i);
		const char *key = config_setting_name(setting);
		bool known = strncmp(key, SCAN_TWICE, strlen(SCAN_TWICE)) == 0;
		char text[512];

		for (size_t k = 0; k < KEYS; k++)
			known |= strcmp(key, keys[k]) == 0;
		if (!known)
			diag_error(reader->parse.diag, reader->parse.file,
			    (int)config_setting_source_line(setting),
			    "unknown key \"%.60s\" of a radio%s", key,
			    wf_suggest(key, keys, KEYS, text, sizeof(text)));
	}
}

static int read_channels(struct reader *reader)
{
	struct wf_radio *radio = reader->radio;
	double *list = NULL, one = 0;
	struct wf_raw raw;
	size_t len = 0;
	int rc = 0;

	if (!find(reader, "channel", &raw))
		return 0;
	if (!config_setting_is_list(raw.setting) && !config_setting_is_array(raw.setting)) {
		(void)wf_want_int(&raw, "channel", 0, CHANNEL_MAX, "", reader->parse.diag, &one);
		radio->channels[0] = (uint32_t)one;
		return 0;
	}
	rc = wf_want_numbers(&raw, "channel", true, 0, CHANNEL_MAX, WF_RADIO_CHANNELS_MAX,
	    reader->parse.diag, &list, &len);
	if (rc == 0 && len == 2 && list[0] == list[1])
		diag_error(reader->parse.diag, raw.where, raw.line, "channel %.0f is there twice",
		    list[0]);
	for (size_t c = 0; rc == 0 && c < len; c++)
		radio->channels[c] = (uint32_t)list[c];
	radio->n_channels = rc == 0 ? (uint32_t)len : 1;
	free(list);
	return rc == -ENOMEM ? rc : 0;
}

static void read_numbers(struct reader *reader)
{
	struct wf_radio *radio = reader->radio;
	double value;
	struct wf_raw raw;

	radio->sfp = radio->transport == WF_TRANSPORT_DPDK;
	if (want_whole(reader, "sfp", 0, 1, "", &value))
		radio->sfp = (uint32_t)value;
	if (want_whole(reader, "spp", WF_RADIO_SPP_MIN, WF_RADIO_SPP_MAX, "samples", &value))
		radio->spp = (uint32_t)value;
	if (want_whole(reader, "tx_advance", 0, 1e9, "samples", &value))
		radio->tx_advance = (int64_t)value;
	want_real(reader, "clock_rate", 1e6, 1e9, "Hz", &radio->clock_rate);
	want_real(reader, "patience_ms", 0.01, 1e5, "ms", &radio->patience_ms);
	want_real(reader, "rate", WF_RATE_MIN, WF_RATE_MAX, "samples/s", &radio->rate);
	if (find(reader, "flow_control", &raw))
		(void)wf_want_bool(&raw, "flow_control", reader->parse.diag, &radio->flow_control);
	if (find(reader, "initialised", &raw))
		(void)wf_want_bool(&raw, "initialised", reader->parse.diag, &radio->initialised);
	if (find(reader, "listen", &raw))
		(void)wf_want_bool(&raw, "listen", reader->parse.diag, &radio->listen);
}

static int read_settings(struct reader *reader)
{
	struct wf_radio_channel *first = reader->radio->settings;
	int rc = want_each(reader, "rx_frequency", 1e12, "Hz", &first->rx_frequency);

	rc = rc ? rc : want_each(reader, "rx_gain", 1e3, "dB", &first->rx_gain);
	rc = rc ? rc : want_each(reader, "tx_frequency", 1e12, "Hz", &first->tx_frequency);
	rc = rc ? rc : want_each(reader, "tx_gain", 1e3, "dB", &first->tx_gain);
	rc = rc ? rc : want_source(reader, "clock_source", &reader->radio->clock_source);
	return rc ? rc : want_source(reader, "time_source", &reader->radio->time_source);
}

static int read_radio(struct reader *reader)
{
	struct wf_radio *radio = reader->radio;
	int transport, rc;

	*radio = (struct wf_radio){.n_channels = 1,
	    .clock_rate = 200e6,
	    .tx_advance = -1,
	    .patience_ms = 1,
	    .line = (int)config_setting_source_line(reader->group)};
	check_keys(reader);
	if (!config_setting_get_member(reader->group, "type"))
		missing(reader, "type", "type = \"x310\"");
	(void)want_choice(reader, "type", types);
	transport = want_choice(reader, "transport", transports);
	if (!config_setting_get_member(reader->group, "transport"))
		missing(reader, "transport", "transport = \"udp\" or \"dpdk\"");
	radio->transport = transport == WF_TRANSPORT_DPDK ? WF_TRANSPORT_DPDK : WF_TRANSPORT_UDP;
	want_address(reader, "address", &radio->address);
	want_address(reader, "own_address", &radio->own_address);
	if (!config_setting_get_member(reader->group, "address"))
		missing(reader, "address", "address = \"A.B.C.D\" of the device");
	want_group(reader, "multicast");
	read_numbers(reader);
	if (radio->listen && !config_setting_get_member(reader->group, "multicast"))
		missing(reader, "multicast", "listen = true: multicast = \"GROUP:PORT\"");
	rc = read_channels(reader);
	rc = rc ? rc : want_text(reader, "port", &radio->port);
	rc = rc ? rc : want_text(reader, "eal", &radio->eal);
	if (rc == 0 && transport == WF_TRANSPORT_DPDK && !radio->port[0])
		missing(reader, "port",
		    "transport = \"dpdk\": port = \"net_memif0,...\" or a PCI address");
	if (rc == 0 && transport == WF_TRANSPORT_DPDK &&
	    !config_setting_get_member(reader->group, "own_address"))
		missing(reader, "own_address",
		    "transport = \"dpdk\": own_address = \"A.B.C.D\", an address for the port");
	return rc ? rc : read_settings(reader);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static int read_list(
    struct reader *reader, const config_setting_t *setting, struct wf_radios *radios)
{
	const bool list = config_setting_is_list(setting);
	const int n = list ? config_setting_length(setting) : 1;
	int rc = 0;

	if ((!list && !config_setting_is_group(setting)) || n < 1 || n > WF_RADIOS_MAX) {
		diag_error(reader->parse.diag, reader->parse.file,
		    (int)config_setting_source_line(setting),
		    "radio: { type = \"x310\"; ... }; or radio = ( { ... }, { ... } ); with at most %d is needed",
		    WF_RADIOS_MAX);
		return 0;
	}
	for (int i = 0; i < n && rc == 0; i++) {
		reader->group = list ? config_setting_get_elem(setting, (unsigned)i) : setting;
		reader->radio = &radios->item[radios->n];
		if (config_setting_is_group(reader->group)) {
			radios->n++;
			rc = read_radio(reader);
		} else {
			diag_error(reader->parse.diag, reader->parse.file,
			    (int)config_setting_source_line(setting),
			    "a radio is { type = \"x310\"; ... }");
		}
	}
	return rc;
}

/* Who listens to one device has no other, for what is sent is sent by all. */
static void check_listen(struct reader *reader, const struct wf_radios *radios)
{
	for (size_t i = 1; i < radios->n; i++)
		if (radios->item[i].listen != radios->item[0].listen)
			diag_error(reader->parse.diag, reader->parse.file, radios->item[i].line,
			    "radio: listen is to be the same for all radios");
}

static int read_text(struct reader *reader, const char *text, struct wf_radios *radios)
{
	const config_setting_t *setting;
	config_t config;
	int rc = 0;

	config_init(&config);
	if (config_read_string(&config, text) != CONFIG_TRUE)
		wf_say_syntax(&reader->parse, &config, text);
	else if ((setting = config_setting_get_member(config_root_setting(&config), "radio")) !=
	    NULL)
		rc = read_list(reader, setting, radios);
	check_listen(reader, radios);
	config_destroy(&config);
	return rc;
}

int wf_radios_parse(const char *file, const char *text, struct diag *diag, struct wf_radios **ret)
{
	struct reader reader = {
	    .parse = {.file = file, .diag = diag, .errors_before = diag->errors}};
	struct wf_radios *radios = calloc(1, sizeof(*radios));
	const size_t lines_before = diag->len;
	char *clean = NULL;
	int rc = radios && (radios->file = strdup(file))
	    ? wf_scan(file, text, strlen(text), diag, &clean)
	    : -ENOMEM;

	if (rc == 0)
		rc = read_text(&reader, clean, radios);
	free(clean);
	if (rc == 0 && diag->errors == reader.parse.errors_before) {
		*ret = radios->n ? radios : NULL;
		if (!radios->n)
			wf_radios_free(radios);
		return 0;
	}
	wf_radios_free(radios);
	wf_sort_lines(&reader.parse, lines_before);
	if (rc == -ENOMEM)
		diag_error(diag, file, 0, "no memory");
	return rc == -ENOMEM ? rc : -EINVAL;
}

void wf_radios_free(struct wf_radios *radios)
{
	if (!radios)
		return;
	for (size_t i = 0; i < radios->n; i++) {
		free(radios->item[i].port);
		free(radios->item[i].eal);
		free(radios->item[i].clock_source);
		free(radios->item[i].time_source);
	}
	free(radios->file);
	free(radios);
}

uint32_t wf_radio_spp(const struct wf_radio *radio, uint32_t slot_samples)
{
	uint32_t parts = (slot_samples + WF_RADIO_SPP_MAX - 1) / WF_RADIO_SPP_MAX;

	if (radio->spp)
		return radio->spp;
	while (slot_samples % parts && slot_samples / parts > WF_RADIO_SPP_MIN)
		parts++;
	return slot_samples % parts ? WF_RADIO_SPP_MAX : slot_samples / parts;
}
