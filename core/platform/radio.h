/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/radio.h - what the pace and the components need from any radio: samples with time
 * stamps, room for samples to send, and counts. A driver is one folder of platforms/ and no line
 * elsewhere: platforms/x/driver.c defines the constant x_driver. platforms/README.md says how to
 * add a driver.
 *
 * 	settings   the keys of a group `radio: { ... }`, which the driver's table lists; the driver
 * 	           checks them together (`check`) and opens the radio with them (`open`)
 * 	receive --> [packets] --> release            for each channel, in order of arrival
 * 	place --> samples are written --> send ... flush
 *
 * A sample has a real and an imaginary part of 16 bits each, low byte first. An open radio belongs
 * to one thread. `open`, `end` and `close` may wait; the other functions never wait.
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
	/* reasons why a channel does not stream; reason 0: the channel streams */
	RADIO_TROUBLES = 12,
	RADIO_TROUBLE = 256 /* bytes of the text of a reason */
};

/* ---- settings ------------------------------------------------------------------------ */

enum radio_kind {
	RADIO_TEXT,   /* const char *; "" if the key is missing */
	RADIO_PATH,   /* const char *; relative to the directory of the command */
	RADIO_CHOICE, /* int: the place in `words` */
	RADIO_BOOL,   /* bool */
	RADIO_INT,    /* int64_t */
	RADIO_REAL,   /* double */
	RADIO_INTS,   /* struct radio_numbers: a whole number or a list of whole numbers */
	RADIO_REALS   /* struct radio_numbers: a number or a list of numbers */
};

struct radio_numbers {
	double item[RADIO_NUMBERS_MAX];
	uint32_t n;   /* 0: the key is missing */
	bool is_list; /* false: one number for all channels */
};

struct radio_key {
	const char *name;
	enum radio_kind kind;
	size_t offset; /* in the driver's settings */
	const char *help;
	double min, max;
	const char *unit;
	const char *const *words; /* of a CHOICE, NULL at the end */
	double value;             /* default */
	const char *otherwise;    /* the default in words; NULL: the number */
	const char *needed; /* text to write if the key is missing; NULL: the key is optional */
};

/* What a waveform needs from its radio. */
struct radio_use {
	const char *waveform;
	double rate_hz;
	uint32_t slot_samples;
	bool fast; /* slots begin as fast as they are run (--clock virtual) */
};

struct radio_driver;

/* What `check` gets for one group of a radio file. */
struct radio_check {
	const struct radio_driver *driver;
	struct diag *diag;
	const char *file;
	int line;
	const int *lines;            /* of the keys, in the order of the table; 0: missing key */
	const void *first;           /* settings of the first group; NULL: this is the first */
	const struct radio_use *use; /* NULL: there is no waveform, or there are errors already */
};

/* radio_line returns the line of a key, or 0 if the key is missing. radio_missing adds the error
 * that `key` is missing; `needed` is the text to write. */
int radio_line(const struct radio_check *check, const char *key);
void radio_missing(const struct radio_check *check, const char *key, const char *needed);

/* ---- an open radio ------------------------------------------------------------------------ */

struct radio_packet {
	struct packet packet; /* belongs to the driver, for release */
	const uint8_t *iq;
	uint64_t ticks; /* of the first sample */
	uint32_t samples;
	uint32_t gap;   /* missing packets before this packet */
	bool overtaken; /* this packet was counted as missing and has arrived now */
	bool anew; /* first packet since the channel was set up anew: its time may have jumped */
};

/* Counts of one channel since the radio was started. */
struct radio_counts {
	uint64_t overruns;  /* times that the radio stopped receiving and was started again */
	uint64_t unsized;   /* losses of samples whose number the radio does not say */
	uint64_t late;      /* packets that reached the radio after their time and were dropped */
	uint64_t underruns; /* times that the radio should have sent and had no samples */
	uint64_t sequence;  /* reports of packets that are missing or out of order */
	uint64_t restarts;  /* times that the radio was silent and was set up again */
	uint64_t failed;    /* failed attempts to set the radio up; they never stop */
	uint32_t trouble;   /* number of the text in struct radio; 0: the channel streams */
};

struct radio { /* all devices together; the driver's own part follows in memory */
	const struct radio_driver *driver;
	uint32_t channels;
	uint32_t ticks_per_sample;
	uint32_t rx_packet, tx_packet; /* samples; tx_packet 0: the radio cannot send */
	int64_t tx_advance;            /* see struct aloe_radio */
	uint64_t patience_ns;          /* time without packets after which slots begin without */
	uint64_t start_ticks;          /* of the first sample; 0: known when it arrives */
	uint64_t end_ticks;            /* after the last sample; UINT64_MAX: not known, or no end */
	bool deaf; /* the radio only sends: its packets are silence, which the slots begin by */
	/* the samples wait for the slots (struct radio_use.fast): none comes late, and a step that
	 * waits for a file keeps its samples. Set by who opens the radio, once it is open */
	bool waits;
	/* slots begin at whole multiples of their length, so they are the same on every node that
	 * receives the same samples */
	bool on_grid;
	struct aloe_radio_channel channel[RADIO_CHANNELS_MAX]; /* NaN: not known */
	const char *clock_source, *time_source;                /* NULL: not known */
	char note[RADIO_NOTE];                                 /* for the user; "": none */
	/* texts of the troubles, written by open, because no text is formatted while slots run */
	char trouble[RADIO_CHANNELS_MAX][RADIO_TROUBLES][RADIO_TROUBLE];
};

/* ---- a look at a radio, before it is used ------------------------------------------------- */

enum radio_verdict { RADIO_GOOD, RADIO_BAD, RADIO_UNKNOWN };
enum { RADIO_FOUND = 400 /* bytes of the text of one */ };

/* found is told each thing that was looked at: its name, and a text that says what there is and,
 * where that is bad, what to do. */
struct radio_look {
	void (*found)(struct radio_look *look, const char *what, enum radio_verdict verdict,
	    const char *text);
};

/* radio_found is found with a format. */
__attribute__((format(printf, 4, 5))) void radio_found(
    struct radio_look *look, const char *what, enum radio_verdict verdict, const char *format, ...);

/* ---- the driver ------------------------------------------------------------------------ */

struct radio_driver {
	const char *type;    /* in radio files */
	const char *summary; /* the device, in a few words */
	const char *manual;  /* paragraphs that follow the keys in the manual; NULL: none */
	const struct radio_key *keys;
	uint32_t n_keys;
	size_t settings_size;
	bool fast; /* struct radio_use.fast is possible */

	/* check tests what the table of keys cannot state, adds errors, and computes settings that
	 * follow from others. channels returns the number of channels of one group. claim names the
	 * device that only one waveform may have at a time, in the user's words; "": none. The
	 * settings live longer than the open radio. */
	void (*check)(void *settings, const struct radio_check *check);
	uint32_t (*channels)(const void *settings);
	void (*claim)(const void *settings, char *ret, size_t size);

	/* examine looks at the way to n devices, without opening them, and says by *ret_use with
	 * which rate and slot it can be tried whether they stream; rate_hz 0: a trial would change
	 * something of the user's. tell says what an open radio has learnt of its devices. Both may
	 * wait; either may be NULL. */
	void (*examine)(const void *const *settings, uint32_t n, struct radio_look *look,
	    struct radio_use *ret_use);
	void (*tell)(struct radio *radio, struct radio_look *look);

	/* open opens all channels of n groups and waits until they are ready. It returns 0, or
	 * -errno with the reason in ret_why. The thread that will use the radio calls it. end stops
	 * sending and receiving, and waits for the last reports of the radio (counted); NULL: there
	 * is nothing to wait for. close does the same if `end` was not called. */
	int (*open)(const void *const *settings, uint32_t n, const struct radio_use *use,
	    struct radio **ret, char *ret_why, size_t size);
	void (*end)(struct radio *radio);
	void (*close)(struct radio *radio);

	/* clock returns the time in nanoseconds by which the pace waits for packets. */
	uint64_t (*clock)(struct radio *radio);
	/* start asks the radio for samples from now on. */
	void (*start)(struct radio *radio);
	/* receive returns packets that have arrived, at most n (TRANSPORT_BURST). The pace calls it
	 * from time to time even if no samples are wanted. release gives packets back, in any
	 * number; the pace holds at most radio_queue() packets. */
	unsigned (*receive)(struct radio *radio, uint32_t channel, uint64_t now_ns,
	    struct radio_packet *ret, unsigned n);
	void (*release)(
	    struct radio *radio, uint32_t channel, const struct radio_packet *packets, unsigned n);
	/* ready makes ready what the first packet of a slot needs, so that place and flush take
	 * less; the pace calls it a little before the slot. NULL: there is nothing to do. place
	 * returns room for the samples of one packet, or NULL if there is no room. The pace
	 * calls send before it asks for the next room. send queues the packet, with the time at
	 * which the radio transmits it; UINT64_MAX: at once. flush sends the queued packets. */
	void (*ready)(struct radio *radio, uint32_t channel);
	uint8_t *(*place)(struct radio *radio, uint32_t channel);
	void (*send)(struct radio *radio, uint32_t channel, uint32_t samples, uint64_t ticks);
	void (*flush)(struct radio *radio);
	void (*count)(struct radio *radio, uint32_t channel, struct radio_counts *ret);
};

/* radio_queue returns how many packets of a channel the pace may hold at a time. */
static inline uint32_t radio_queue(uint32_t slot_samples, uint32_t rx_packet)
{
	uint32_t n = RADIO_QUEUE_LEAST;

	while (n < 4 * (slot_samples / rx_packet + 1))
		n *= 2;
	return n;
}

/* All drivers in the order of their folders, NULL at the end (platforms/drivers.c). */
extern const struct radio_driver *const radio_drivers[];

/* radio_packet_samples is for drivers that cut a slot into packets by themselves: the whole slot,
 * or its largest part that is at most `max`; parts of less than `min` are none. radio_host_clock is
 * the `clock` of a radio that has none of its own. */
uint32_t radio_packet_samples(uint32_t slot_samples, uint32_t min, uint32_t max);
uint64_t radio_host_clock(struct radio *radio);

#endif
