/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SoapySDR 0.8 (Device.h, Constants.h, Errors.h of libsoapysdr-dev): setupStream returns the
 * stream, lists and texts are the caller's, OVERFLOW comes instead of samples. */
#include "platforms/soapy/device.h"

#include <SoapySDR/Device.h>
#include <SoapySDR/Errors.h>
#include <SoapySDR/Formats.h>
#include <SoapySDR/Logger.h>
#include <SoapySDR/Version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/iq.h"

enum { CHUNK = 16384 /* samples that are converted at a time */, PART = 2 };
#define RATE_OFF 1e-4 /* of the rate: crystals are that good */
#define FULL_SCALE 32767.0

struct soapy_stream {
	SoapySDRStream *of;
	bool floats; /* CF32; else CS16 */
};

struct soapy_device {
	SoapySDRDevice *of;
	struct soapy_setup setup;
	struct soapy_stream rx, tx[SOAPY_CHANNELS];
	void *chunk[SOAPY_CHANNELS];
	char failed[SOAPY_TEXT];
};

static const char *reason_said(void)
{
	const char *text = SoapySDRDevice_lastError();

	return text && text[0] ? text : "no reason given";
}

static int call_fail(struct soapy_device *device, const char *what)
{
	snprintf(device->failed, sizeof(device->failed), "%s: %s", what, reason_said());
	return -1;
}

/* A list as the device names it: "A, B". */
static void list_print(char **list, size_t n, char *ret, size_t size)
{
	size_t at = 0;

	ret[0] = 0;
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(ret + at, size - at, "%s%s", i ? ", " : "", list[i]);
}

/* ---- what a channel is set to ---------------------------------------------------------- */

static int antenna_set(struct soapy_device *device, int direction, size_t channel, const char *name)
{
	size_t n = 0;
	char **list = SoapySDRDevice_listAntennas(device->of, direction, channel, &n);
	char names[SOAPY_TEXT / 2];
	bool has = false;

	for (size_t i = 0; i < n; i++)
		has |= strcmp(list[i], name) == 0;
	list_print(list, n, names, sizeof(names));
	SoapySDRStrings_clear(&list, n);
	if (has && SoapySDRDevice_setAntenna(device->of, direction, channel, name) != 0)
		return call_fail(device, "antenna");
	if (!has)
		snprintf(device->failed, sizeof(device->failed),
		    "antenna = \"%.60s\" is not there; channel %zu has: %s", name, channel, names);
	return has ? 0 : -1;
}

/* In the order in which modules want it: the rate, then what depends on it. */
static int rate_set(struct soapy_device *device, int direction, size_t channel, double *ret_rate)
{
	const double rate = device->setup.rate;

	if (SoapySDRDevice_setSampleRate(device->of, direction, channel, rate) != 0)
		return call_fail(device, "rate");
	*ret_rate = SoapySDRDevice_getSampleRate(device->of, direction, channel);
	if (fabs(*ret_rate - rate) <= RATE_OFF * rate)
		return 0;
	snprintf(device->failed, sizeof(device->failed),
	    "the device has the rate %.10g, but the waveform has %.10g; both rates must be the "
	    "same",
	    *ret_rate, rate);
	return -1;
}

static int channel_tune(struct soapy_device *device, int direction, size_t channel,
    const struct soapy_tune *want, struct soapy_tune *ret)
{
	if (want->antenna[0] && antenna_set(device, direction, channel, want->antenna) != 0)
		return -1;
	if (!isnan(want->frequency) &&
	    SoapySDRDevice_setFrequency(device->of, direction, channel, want->frequency, NULL) != 0)
		return call_fail(device, "frequency");
	if (!isnan(want->bandwidth) &&
	    SoapySDRDevice_setBandwidth(device->of, direction, channel, want->bandwidth) != 0)
		return call_fail(device, "bandwidth");
	if (!isnan(want->gain) &&
	    SoapySDRDevice_setGain(device->of, direction, channel, want->gain) != 0)
		return call_fail(device, "gain");
	*ret = (struct soapy_tune){
	    .frequency = SoapySDRDevice_getFrequency(device->of, direction, channel),
	    .gain = SoapySDRDevice_getGain(device->of, direction, channel),
	    .bandwidth = NAN};
	return 0;
}

static int channel_check(struct soapy_device *device, int direction, size_t channel)
{
	const size_t n = SoapySDRDevice_getNumChannels(device->of, direction);

	if (channel < n)
		return 0;
	snprintf(device->failed, sizeof(device->failed),
	    "channel %zu is not there; the device has %zu channel%s to %s, counted from 0", channel,
	    n, n == 1 ? "" : "s", direction == SOAPY_SDR_RX ? "receive" : "send");
	return -1;
}

/* ---- streams ---------------------------------------------------------------------------- */

static bool has_format(char *const *list, size_t n, const char *format)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], format) == 0)
			return true;
	return false;
}

/* CS16 as the device has it, else floats, whose full scale is always 1. */
static int format_choose(
    struct soapy_device *device, int direction, size_t channel, bool *ret_floats)
{
	size_t n = 0;
	char **list = SoapySDRDevice_getStreamFormats(device->of, direction, channel, &n);
	double full = 0;
	char *native = SoapySDRDevice_getNativeStreamFormat(device->of, direction, channel, &full);
	const bool whole = native && strcmp(native, SOAPY_SDR_CS16) == 0 && full >= FULL_SCALE &&
	    has_format(list, n, SOAPY_SDR_CS16);
	const bool floats = has_format(list, n, SOAPY_SDR_CF32);
	char names[SOAPY_TEXT / 2];

	list_print(list, n, names, sizeof(names));
	SoapySDRStrings_clear(&list, n);
	SoapySDR_free(native);
	*ret_floats = !whole;
	if (whole || floats)
		return 0;
	snprintf(device->failed, sizeof(device->failed),
	    "the device has neither CS16 of full scale nor CF32, but: %s", n ? names : "nothing");
	return -1;
}

static int stream_open(struct soapy_device *device, int direction, const size_t *channels, size_t n,
    struct soapy_stream *ret)
{
	ret->floats = false;
	if (format_choose(device, direction, channels[0], &ret->floats) != 0)
		return -1;
	ret->of = SoapySDRDevice_setupStream(device->of, direction,
	    ret->floats ? SOAPY_SDR_CF32 : SOAPY_SDR_CS16, channels, n, NULL);
	return ret->of ? 0 : call_fail(device, "the stream");
}

static int streams_open(struct soapy_device *device, struct soapy_facts *facts)
{
	const struct soapy_setup *setup = &device->setup;
	size_t channels[SOAPY_CHANNELS] = {0}, mtu = CHUNK;

	for (uint32_t c = 0; c < setup->n_channels; c++)
		channels[c] = setup->channel[c];
	if (setup->rx &&
	    stream_open(device, SOAPY_SDR_RX, channels, setup->n_channels, &device->rx) != 0)
		return -1;
	for (uint32_t c = 0; setup->tx && c < setup->n_channels; c++)
		if (stream_open(device, SOAPY_SDR_TX, &channels[c], 1, &device->tx[c]) != 0)
			return -1;
	if (device->rx.of)
		mtu = SoapySDRDevice_getStreamMTU(device->of, device->rx.of);
	facts->mtu = mtu < 1 ? 1 : mtu > CHUNK ? CHUNK : (uint32_t)mtu;
	return 0;
}

/* ---- open and close ------------------------------------------------------------------------ */

static void device_close(struct soapy_device *device)
{
	if (device->rx.of) {
		SoapySDRDevice_deactivateStream(device->of, device->rx.of, 0, 0);
		SoapySDRDevice_closeStream(device->of, device->rx.of);
	}
	for (uint32_t c = 0; c < SOAPY_CHANNELS; c++) {
		if (device->tx[c].of) {
			SoapySDRDevice_deactivateStream(device->of, device->tx[c].of, 0, 0);
			SoapySDRDevice_closeStream(device->of, device->tx[c].of);
		}
		free(device->chunk[c]);
	}
	if (device->of)
		SoapySDRDevice_unmake(device->of);
	free(device);
}

static int channels_set(struct soapy_device *device, struct soapy_facts *facts)
{
	const struct soapy_setup *setup = &device->setup;
	int status = 0;

	for (uint32_t c = 0; c < setup->n_channels && status == 0; c++) {
		const size_t channel = setup->channel[c];

		if (setup->rx &&
		    (channel_check(device, SOAPY_SDR_RX, channel) != 0 ||
		        rate_set(device, SOAPY_SDR_RX, channel, &facts->rate) != 0 ||
		        channel_tune(device, SOAPY_SDR_RX, channel, &setup->rx_tune[c],
		            &facts->rx_tune[c]) != 0))
			status = -1;
		else if (setup->tx &&
		    (channel_check(device, SOAPY_SDR_TX, channel) != 0 ||
		        rate_set(device, SOAPY_SDR_TX, channel, &facts->rate) != 0 ||
		        channel_tune(device, SOAPY_SDR_TX, channel, &setup->tx_tune[c],
		            &facts->tx_tune[c]) != 0))
			status = -1;
	}
	return status;
}

static void hardware_print(const struct soapy_device *device, struct soapy_facts *facts)
{
	char *driver = SoapySDRDevice_getDriverKey(device->of),
	     *hardware = SoapySDRDevice_getHardwareKey(device->of);
	const bool floats = device->rx.of ? device->rx.floats : device->tx[0].floats;

	snprintf(facts->hardware, sizeof(facts->hardware), "%.80s %.80s, samples as %s, %s",
	    driver ? driver : "?", hardware ? hardware : "?",
	    floats ? SOAPY_SDR_CF32 : SOAPY_SDR_CS16,
	    facts->has_time ? "with time stamps" : "without time stamps");
	SoapySDR_free(driver);
	SoapySDR_free(hardware);
}

static int device_open(const struct soapy_setup *setup, struct soapy_facts *ret_facts,
    struct soapy_device **ret, char *ret_why, size_t size)
{
	struct soapy_device *device = calloc(1, sizeof(*device));
	int status = device ? 0 : -1;

	ret_why[0] = 0;
	if (!device)
		return -1;
	if (!getenv("SOAPY_SDR_LOG_LEVEL"))
		SoapySDR_setLogLevel(SOAPY_SDR_WARNING);
	device->setup = *setup;
	*ret_facts = (struct soapy_facts){0};
	for (uint32_t c = 0; c < SOAPY_CHANNELS; c++)
		device->chunk[c] = malloc(CHUNK * PART * sizeof(float));
	if (!device->chunk[0] || !device->chunk[1])
		status = call_fail(device, "no memory");
	else if ((device->of = SoapySDRDevice_makeStrArgs(setup->args)) == NULL)
		status = call_fail(device, "the device cannot be opened");
	if (status == 0)
		status = channels_set(device, ret_facts);
	if (status == 0)
		status = streams_open(device, ret_facts);
	if (status == 0) {
		ret_facts->has_time = SoapySDRDevice_hasHardwareTime(device->of, "");
		hardware_print(device, ret_facts);
		*ret = device;
		return 0;
	}
	snprintf(ret_why, size, "%s", device->failed);
	device_close(device);
	return -1;
}

static int device_start(struct soapy_device *device)
{
	const struct soapy_setup *setup = &device->setup;

	for (uint32_t c = 0; setup->tx && c < setup->n_channels; c++)
		if (SoapySDRDevice_activateStream(device->of, device->tx[c].of, 0, 0, 0) != 0)
			return call_fail(device, "the stream that sends does not start");
	if (setup->rx && SoapySDRDevice_activateStream(device->of, device->rx.of, 0, 0, 0) != 0)
		return call_fail(device, "the stream that receives does not start");
	return 0;
}

/* ---- samples ------------------------------------------------------------------------ */

static int status_of(struct soapy_device *device, int error, const char *what)
{
	switch (error) {
	case SOAPY_SDR_TIMEOUT:
		return SOAPY_NOTHING;
	case SOAPY_SDR_OVERFLOW:
	case SOAPY_SDR_CORRUPTION:
		return error == SOAPY_SDR_OVERFLOW ? SOAPY_LOST : SOAPY_BROKEN;
	case SOAPY_SDR_TIME_ERROR:
		return SOAPY_LATE;
	case SOAPY_SDR_UNDERFLOW:
		return SOAPY_UNDER;
	default:
		snprintf(device->failed, sizeof(device->failed), "%s: %s", what,
		    SoapySDR_errToStr(error));
		return SOAPY_GONE;
	}
}

static int device_read(struct soapy_device *device, uint8_t *const *iq, uint32_t n,
    uint32_t patience_us, struct soapy_about *ret)
{
	const struct soapy_stream *stream = &device->rx;
	int flags = 0, got;
	long long time_ns = 0;

	got = SoapySDRDevice_readStream(device->of, stream->of, device->chunk,
	    n < CHUNK ? n : CHUNK, &flags, &time_ns, (long)patience_us);
	if (got < 0)
		return status_of(device, got, "readStream");
	if ((uint32_t)got > n || got > CHUNK) {
		snprintf(device->failed, sizeof(device->failed),
		    "readStream: the device gives %d samples where %u fit", got, n);
		return SOAPY_GONE;
	}
	for (uint32_t c = 0; c < device->setup.n_channels; c++)
		if (stream->floats)
			iq_kernels(SIMD_PLAIN)->from_f32(device->chunk[c], iq[c], (uint32_t)got);
		else
			iq_from_ci16(device->chunk[c], iq[c], (uint32_t)got);
	*ret = (struct soapy_about){.has_time = (flags & SOAPY_SDR_HAS_TIME) != 0 && time_ns >= 0,
	    .time_ns = time_ns,
	    .lost_after = (flags & SOAPY_SDR_END_ABRUPT) != 0};
	return got;
}

static int device_write(struct soapy_device *device, uint32_t channel, const uint8_t *iq,
    uint32_t n, bool timed, int64_t time_ns, bool last)
{
	const struct soapy_stream *stream = &device->tx[channel];
	const void *buffers[1] = {device->chunk[0]};
	int flags = (timed ? SOAPY_SDR_HAS_TIME : 0) | (last ? SOAPY_SDR_END_BURST : 0), took;

	n = n < CHUNK ? n : CHUNK;
	if (stream->floats)
		iq_kernels(SIMD_PLAIN)->to_f32(iq, device->chunk[0], n);
	else
		iq_to_ci16(iq, device->chunk[0], n);
	took = SoapySDRDevice_writeStream(
	    device->of, stream->of, buffers, n, &flags, timed ? time_ns : 0, 0);
	if (took >= 0)
		return (uint32_t)took < n ? took : (int)n;
	return status_of(device, took, "writeStream");
}

static enum soapy_status device_report(struct soapy_device *device, uint32_t channel)
{
	size_t mask = 0;
	int flags = 0, status;
	long long time_ns = 0;

	status = SoapySDRDevice_readStreamStatus(
	    device->of, device->tx[channel].of, &mask, &flags, &time_ns, 0);
	if (status == SOAPY_SDR_NOT_SUPPORTED)
		return SOAPY_NONE;
	if (status == SOAPY_SDR_STREAM_ERROR) /* of an end: writeStream says what is gone */
		return SOAPY_BROKEN;
	return status < 0 ? (enum soapy_status)status_of(device, status, "readStreamStatus")
	                  : SOAPY_ENDED;
}

static int64_t device_time(struct soapy_device *device)
{
	return SoapySDRDevice_getHardwareTime(device->of, "");
}

static const char *device_failed(const struct soapy_device *device)
{
	return device->failed;
}

extern const struct soapy_library soapy_library;
__attribute__((visibility("default"))) const struct soapy_library soapy_library = {
    .open = device_open,
    .close = device_close,
    .start = device_start,
    .read = device_read,
    .write = device_write,
    .report = device_report,
    .time = device_time,
    .failed = device_failed,
};
