/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/sigmf/sigmf.h - the .sigmf-meta of a recording: text in, struct or errors out; struct in,
 * text out. Pure: no file, no clock. [control]
 *
 * (SigMF 1.2.5, https://sigmf.org: sigmf-schema.json and the specification's text, whose rules are
 * stricter.) A recording is NAME.sigmf-meta, this JSON text, and NAME.sigmf-data, bare samples.
 *
 *   global       what all samples have in common: datatype, rate, hash, number of channels
 *   captures     segments, by their first sample; a new one begins where samples were lost.
 *                core:global_index of a segment counts the lost samples, too
 *   annotations  remarks on samples, by their first one
 *
 * All indices are absolute: the first sample in the data file has the index core:offset. Unknown
 * keys are read over. ALOE's own keys begin with `aloe:` (extension aloe, optional).
 */
#ifndef ALOE_SIGMF_H
#define ALOE_SIGMF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"

#define SIGMF_VERSION "1.2.5"      /* of the specification, as written */
#define SIGMF_ALOE_VERSION "1.0.0" /* of the extension aloe, as written */
#define SIGMF_NONE UINT64_MAX      /* a whole number that is not stated; stated ones are < 2^63 */

enum {
	SIGMF_BYTES_MAX = 32 << 20,   /* of a .sigmf-meta */
	SIGMF_CAPTURES_MAX = 1 << 16, /* and as many annotations */
	SIGMF_DATETIME = 40           /* a core:datetime and a NUL */
};

/* The datatypes that ALOE reads and writes; sigmf_formats has their properties. */
enum sigmf_datatype {
	SIGMF_CF32_LE,
	SIGMF_CI16_LE,
	SIGMF_CI8,
	SIGMF_RF32_LE,
	SIGMF_RI16_LE,
	SIGMF_RU8,
	SIGMF_DATATYPES
};

struct sigmf_format {
	const char *name;    /* as in core:datatype */
	uint32_t bytes;      /* of a sample */
	uint32_t item_type;  /* ALOE's type of a port (aloe/component.h) */
	uint32_t item_bytes; /* of an item; larger than `bytes` for ci8, which is read as ci16 */
};
extern const struct sigmf_format sigmf_formats[SIGMF_DATATYPES];

/* sigmf_datatype_for gives the datatype as which items of a port are written (BIT and BYTE as ru8,
 * LLR16 as ri16_le). 0, or -EINVAL if `item_type` is not exactly one type. */
int sigmf_datatype_for(uint32_t item_type, enum sigmf_datatype *ret);

/* Texts are NULL, whole numbers SIGMF_NONE and other numbers NAN where nothing is stated. */
struct sigmf_global {
	enum sigmf_datatype datatype;
	double sample_rate_hz;
	const char *sha512; /* of the whole data file, 128 hexadecimal digits */
	const char *description, *recorder, *hw, *author;
	const char *dataset;   /* name of a data file that is no .sigmf-data, in the same folder */
	uint64_t num_channels; /* parsed: never SIGMF_NONE */
	uint64_t offset;       /* parsed: never SIGMF_NONE */
	uint64_t trailing_bytes; /* of the data file behind the last sample */
	bool metadata_only;
	/* extension aloe */
	uint64_t slot_ns;        /* aloe:slot_ns, length of a slot */
	uint64_t items;          /* aloe:items, samples in a message */
	uint64_t samples;        /* aloe:samples, in the data file: a file cut short is known */
	const char *waveform;    /* aloe:waveform, its name */
	const char *port;        /* aloe:port, INSTANCE.PORT */
	const char *plan_sha256; /* aloe:plan_sha256 */
	const char *log;         /* aloe:log, name of the control log in the same folder */
	const char *log_sha256;  /* aloe:log_sha256 */
};

struct sigmf_capture {
	uint64_t sample_start;
	uint64_t global_index;
	double frequency_hz;
	const char *datetime;  /* of the first sample, RFC 3339 with Z */
	uint64_t header_bytes; /* of the data file before the first sample of the segment */
	uint64_t slot;         /* aloe:slot, index of the message that begins with sample_start */
	uint64_t tick;         /* aloe:tick, the radio's time of that sample */
	/* from sigmf_parse; sigmf_print does not use them */
	uint64_t index; /* global_index, or what follows from the segments before */
	uint64_t at;    /* offset of the first sample in the data file, in bytes */
};

struct sigmf_annotation {
	uint64_t sample_start, sample_count;
	double freq_lower_hz, freq_upper_hz; /* both or neither */
	const char *label, *comment;
	uint64_t slot, slots; /* aloe:slot, aloe:slots: the messages that the remark is on */
};

struct sigmf_meta {
	struct sigmf_global global;
	struct sigmf_capture *captures; /* in the order of sample_start */
	size_t n_captures;
	struct sigmf_annotation *annotations; /* in the order of sample_start */
	size_t n_annotations;
	void *owner; /* of texts and arrays; NULL if the caller owns them */
};

/* sigmf_no_global and its like have nothing stated: begin with them, then set what is known. */
extern const struct sigmf_global sigmf_no_global;
extern const struct sigmf_capture sigmf_no_capture;
extern const struct sigmf_annotation sigmf_no_annotation;

/* sigmf_parse reads the text of a .sigmf-meta (`file` is its name for messages). 0; -EINVAL with
 * all that is wrong in diag; -ENOMEM. The caller frees *ret with sigmf_free. Refused are: a
 * datatype that ALOE does not read, or without byte order; no version, or one above 1; a top-level
 * key that is none of the three; segments or annotations that are not in order; a segment before
 * core:offset, or with a global index that goes back; a time that is not UTC; one frequency edge
 * without the other; another extension that is not optional. */
int sigmf_parse(
    const char *file, const char *text, size_t len, struct diag *diag, struct sigmf_meta **ret);
void sigmf_free(struct sigmf_meta *meta);

/* sigmf_check holds a parsed recording against the length of its data file: 0 with the number of
 * samples, or -EINVAL with all that is wrong in diag. Refused are: no data, a data file that is
 * shorter than the metadata say or ends inside a sample, and more channels than one. */
int sigmf_check(const struct sigmf_meta *meta, const char *file, uint64_t data_bytes,
    struct diag *diag, uint64_t *ret_samples);

/* sigmf_print gives the text of a .sigmf-meta, to be freed by the caller; NULL if there is no
 * memory or a text is not UTF-8. A global.num_channels or offset of SIGMF_NONE is left out. */
char *sigmf_print(const struct sigmf_meta *meta, size_t *ret_len);

/* sigmf_datetime writes a time of CLOCK_REALTIME as a core:datetime with nine fraction digits. */
void sigmf_datetime(uint64_t realtime_ns, char ret_text[SIGMF_DATETIME]);

#endif
