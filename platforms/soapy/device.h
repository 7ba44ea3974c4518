/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/soapy/device.h - what the driver asks of SoapySDR. device.c answers in a shared object
 * of its own, whose symbol soapy_library is.
 *
 * Samples have 16 bits real and 16 bits imaginary, low byte first (core/kernels/iq.h). Times are
 * nanoseconds of the device. All functions wait, allocate and lock as the module of the device
 * likes; one thread calls them.
 */
#ifndef PLATFORMS_SOAPY_DEVICE_H
#define PLATFORMS_SOAPY_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOAPY_CHANNELS = 2, SOAPY_TEXT = 400 };

/* What a call that moves samples returns beside their number. */
enum soapy_status {
	SOAPY_ENDED = 1,   /* `report` only: a burst has ended */
	SOAPY_NOTHING = 0, /* not now */
	SOAPY_LOST = -1,   /* samples were lost before those that come next */
	SOAPY_LATE = -2,   /* samples came to the device after their time */
	SOAPY_UNDER = -3,  /* the device had nothing to send */
	SOAPY_BROKEN = -4, /* samples came to the device damaged or out of order */
	SOAPY_NONE = -5,   /* the device has no such reports */
	SOAPY_GONE = -6 /* the stream or the device is gone; `failed` says what the device said */
};

/* Of one channel in one direction; NaN and "": as the device has it. */
struct soapy_tune {
	double frequency, gain, bandwidth;
	const char *antenna;
};

struct soapy_setup {
	const char *args;
	bool rx, tx;
	uint32_t n_channels;
	uint32_t channel[SOAPY_CHANNELS];
	double rate;
	struct soapy_tune rx_tune[SOAPY_CHANNELS], tx_tune[SOAPY_CHANNELS];
};

struct soapy_facts { /* of an open device */
	double rate;
	bool has_time;
	uint32_t mtu; /* samples that the device moves at a time; at least 1 */
	struct soapy_tune rx_tune[SOAPY_CHANNELS], tx_tune[SOAPY_CHANNELS]; /* antenna: NULL */
	char hardware[SOAPY_TEXT]; /* driver, hardware, format */
};

struct soapy_about { /* samples that were read */
	bool has_time;
	int64_t time_ns; /* of the first */
	bool lost_after; /* samples were lost behind them */
};

struct soapy_device;

struct soapy_library {
	/* open sets the device up; the streams do not run yet. 0, or -1 with the reason. */
	int (*open)(const struct soapy_setup *setup, struct soapy_facts *ret_facts,
	    struct soapy_device **ret, char *ret_why, size_t size);
	void (*close)(struct soapy_device *device);
	/* start lets the streams run: 0 or -1, see `failed`. */
	int (*start)(struct soapy_device *device);
	/* read writes at most n samples of each channel: their number, or a status. */
	int (*read)(struct soapy_device *device, uint8_t *const *iq, uint32_t n,
	    uint32_t patience_us, struct soapy_about *ret);
	/* write sends samples of a channel at a time (`timed`) or at once: how many the device
	 * took, or a status. `last` ends the burst. */
	int (*write)(struct soapy_device *device, uint32_t channel, const uint8_t *iq, uint32_t n,
	    bool timed, int64_t time_ns, bool last);
	/* report gives the next status of a channel that sends; SOAPY_NOTHING: there is none. */
	enum soapy_status (*report)(struct soapy_device *device, uint32_t channel);
	/* time gives the device's time. */
	int64_t (*time)(struct soapy_device *device);
	/* failed says what the device said when a call failed. */
	const char *(*failed)(const struct soapy_device *device);
};

#endif
