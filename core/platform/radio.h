/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/radio.h - what the pace and the components ask of any radio: samples with time
 * stamps, room for samples to send, counts. A driver is one folder of platforms/ and no line
 * elsewhere: driver.c in platforms/x defines the constant x_driver. platforms/README.md says how to
 * add a driver.
 *
 * 	settings   the keys of a group `radio: { ... }`, as the driver's table lists them; the
 *                 driver checks what they mean together (`check`) and opens the radio with them
 * 	receive --> [packets] --> release            of each channel, as they came
 * 	place --> samples written --> send ... flush
 *
 * Samples are complex, 16 bits each, low byte first. An open radio belongs to one thread. `open`
 * and `close` may wait; the other functions never do.
 */
#ifndef ALOE_PLATFORM_RADIO_H
#define ALOE_PLATFORM_RADIO_H

#include <aloe/component.h>

#include "core/base/diag.h"
#include "core/platform/transport.h"

enum {
	RADIO_DEVICES_MAX = 2,  /* groups in a radio file */
	RADIO_CHANNELS_MAX = 4, /* of all devices together */
	RADIO_NUMBERS_MAX = 2,  /* in a list of a radio file */
	RADIO_KEYS_MAX = 32,    /* of a driver */
	RADIO_QUEUE_LEAST = 1024,
	RADIO_IQ = 4, /* bytes of a sample */
	RADIO_NOTE = 512,
	RADIO_TROUBLES = 8, /* reasons why a channel does not stream; the first: it does */
	RADIO_TROUBLE = 256 /* bytes of the text of one */
};

/* ---- settings ------------------------------------------------------------------------ */

enum radio_kind {
	RADIO_TEXT,   /* const char *; "" where it is not said */
	RADIO_PATH,   /* the same; relative to the directory of the command */
	RADIO_CHOICE, /* int: the place in `words` */
	RADIO_BOOL,   /* bool */
	RADIO_INT,    /* int64_t */
	RADIO_REAL,   /* double */
	RADIO_INTS,   /* struct radio_numbers: a number or a list */
	RADIO_REALS
};

struct radio_numbers {
	double item[RADIO_NUMBERS_MAX];
	uint32_t n;   /* 0: not said */
	bool is_list; /* else one number stands for all channels */
};

struct radio_key {
	const char *name;
	enum radio_kind kind;
	size_t offset; /* in the driver's settings */
	const char *help;
	double min, max;
	const char *unit;
	const char *const *words; /* of a CHOICE, NULL at the end */
	double value;             /* where the key is not said */
	const char *otherwise;    /* that value in words; NULL: as it is written */
	const char *needed;       /* what to write where the key is missing; NULL: it may be */
};

/* What a waveform asks of its radio. */
struct radio_use {
	const char *waveform;
	double rate_hz;
	uint32_t slot_samples;
	bool fast; /* slots begin as fast as they are run (--clock virtual) */
};

struct radio_driver;

/* One group, as it is checked. */
struct radio_check {
	const struct radio_driver *driver;
	struct diag *diag;
	const char *file;
	int line;
	const int *lines;            /* of the keys, in the order of the table; 0: not said */
	const void *first;           /* settings of the first group; NULL: this is the first */
	const struct radio_use *use; /* NULL: no waveform asks, or there are errors already */
};

/* radio_line gives the line of a key, 0 where it is not said. radio_missing adds the error that
 * `key` is missing, with what is `needed`. */
int radio_line(const struct radio_check *check, const char *key);
void radio_missing(const struct radio_check *check, const char *key, const char *needed);

/* ---- an open radio ------------------------------------------------------------------------ */

struct radio_packet {
	struct packet packet; /* the driver's, for release */
	const uint8_t *iq;
	uint64_t ticks; /* of its first sample */
	uint32_t samples;
	uint32_t gap;   /* packets before it that are missing */
	bool overtaken; /* it was in such a gap, and is not missing any more */
};

/* Since the radio was started, of one channel. */
struct radio_counts {
	uint64_t overruns;  /* it had to stop receiving, and was started again */
	uint64_t late;      /* packets that it got after their time, and left out */
	uint64_t underruns; /* it had nothing to send, and should have */
	uint64_t sequence;  /* reports of packets that are missing, or out of order */
	uint64_t restarts;  /* it was silent, and set up anew */
	uint64_t failed;    /* attempts to set it up that led to nothing; tried again for ever */
	uint32_t trouble;   /* why it does not stream now: which text of struct radio; 0: it does */
};

struct radio { /* of all devices together; the driver's own part lies behind it */
	const struct radio_driver *driver;
	uint32_t channels;
	uint32_t ticks_per_sample;
	uint32_t rx_packet, tx_packet; /* samples; tx_packet 0: it cannot send */
	int64_t tx_advance;            /* see struct aloe_radio */
	uint64_t patience_ns;          /* slots begin without packets after so long */
	uint64_t start_ticks;          /* of the first sample asked for; 0: when it comes */
	uint64_t end_ticks;            /* behind the last sample; UINT64_MAX: not known, or none */
	/* slots begin at whole multiples of their length: others who hear the same have the same */
	bool on_grid;
	struct aloe_radio_channel channel[RADIO_CHANNELS_MAX]; /* NaN: nobody has said */
	const char *clock_source, *time_source;                /* NULL: nobody has said */
	char note[RADIO_NOTE];                                 /* for the user; "" */
	/* written by open: nothing is put into words while slots run */
	char trouble[RADIO_CHANNELS_MAX][RADIO_TROUBLES][RADIO_TROUBLE];
};

struct radio_driver {
	const char *type;    /* in radio files */
	const char *summary; /* of what it drives */
	const char *manual;  /* paragraphs, behind the keys; NULL */
	const struct radio_key *keys;
	uint32_t n_keys;
	size_t settings_size;
	bool fast; /* struct radio_use.fast is possible */

	/* check looks at what single keys do not tell, adds errors, and sets what follows from the
	 * settings. channels: of one group. claim: what only one waveform may have at a time, as
	 * the user knows it; "": nothing. The settings outlive the open radio. */
	void (*check)(void *settings, const struct radio_check *check);
	uint32_t (*channels)(const void *settings);
	void (*claim)(const void *settings, char *ret, size_t size);

	/* open opens all channels of n groups and waits until they are ready: 0, or -errno with the
	 * reason in ret_why. By the thread that is to use it. end ends what is being sent and
	 * received, and waits for what the radio still says of it (counted); NULL: there is
	 * nothing to wait for. close does so too, where `end` was not called. */
	int (*open)(const void *const *settings, uint32_t n, const struct radio_use *use,
	    struct radio **ret, char *ret_why, size_t size);
	void (*end)(struct radio *radio);
	void (*close)(struct radio *radio);

	uint64_t (*clock)(struct radio *radio); /* nanoseconds, in which packets are waited for */
	/* start asks for samples from now on. */
	void (*start)(struct radio *radio);
	/* receive gives what has come, at most n (TRANSPORT_BURST); to be called now and then
	 * whether samples are wanted or not. What is given back need not be all of it, nor of one
	 * call; the pace holds radio_queue() packets at most. */
	unsigned (*receive)(struct radio *radio, uint32_t channel, uint64_t now_ns,
	    struct radio_packet *ret, unsigned n);
	void (*release)(
	    struct radio *radio, uint32_t channel, const struct radio_packet *packets, unsigned n);
	/* place gives room for one packet's samples, NULL: there is none. What was placed is sent
	 * before the next is asked for. send puts it in line, with the time at which it is to be
	 * played; UINT64_MAX: at once. */
	uint8_t *(*place)(struct radio *radio, uint32_t channel);
	void (*send)(struct radio *radio, uint32_t channel, uint32_t samples, uint64_t ticks);
	void (*flush)(struct radio *radio);
	void (*count)(struct radio *radio, uint32_t channel, struct radio_counts *ret);
};

/* radio_queue gives how many packets of a channel the pace may hold at a time. */
static inline uint32_t radio_queue(uint32_t slot_samples, uint32_t rx_packet)
{
	uint32_t n = RADIO_QUEUE_LEAST;

	while (n < 4 * (slot_samples / rx_packet + 1))
		n *= 2;
	return n;
}

/* All drivers in the order of their folders, NULL at the end (platforms/drivers.c). */
extern const struct radio_driver *const radio_drivers[];

#endif
