/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/metrics.h - the reports of waveforms as /metrics has them: Prometheus text 0.0.4
 * or OpenMetrics 1.0. Pure: JSON in, text out.
 *
 * One table (metrics_table.c) says what there is: name, kind, unit, help, and where in the report
 * (daemons/README.md, report) the numbers are. Both formats have the same numbers. What a report
 * lacks, or has as null, is left out.
 */
#ifndef ALOE_STATSMAN_METRICS_H
#define ALOE_STATSMAN_METRICS_H

#include <stddef.h>

#include "core/json/json.h"

enum metrics_format { METRICS_TEXT, METRICS_OPEN, METRICS_FORMATS };

/* metrics_accepted: what a client wants that sends this Accept (NULL: none). metrics_type: the
 * Content-Type of a format. */
enum metrics_format metrics_accepted(const char *accept);
const char *metrics_type(enum metrics_format format);

/* metrics_write makes the text of an array of reports; `node` is the name of this node, for
 * reports whose lanes name none. The caller frees it. 0 or -ENOMEM. */
int metrics_write(const json_t *reports, const char *node, enum metrics_format format,
    char **ret_text, size_t *ret_len);

/* ---- the table ---- */

enum metrics_kind {
	METRICS_COUNTER,
	METRICS_GAUGE,
	METRICS_SUMMARY,   /* row.key: an object with count, mean, p50, p99, p999 */
	METRICS_HISTOGRAM, /* row.key: cells of [lowest ns, count]; row.mean: their mean in us */
	METRICS_STATES,    /* row.key: a text, one of metrics_states */
	METRICS_INFO,
};

/* Of what there is one sample: what its labels say. */
enum metrics_level {
	METRICS_PROGRAM,
	METRICS_WAVEFORM, /* waveform */
	METRICS_LANE,     /* waveform, node, lane, cpu */
	METRICS_INSTANCE, /* waveform, node, instance, component */
	METRICS_CHANNEL,  /* waveform, channel: of the radio that is the clock */
	METRICS_PEER,     /* waveform, node, peer: another node */
	METRICS_CAUSE,    /* waveform, cause: of late slots */
};

struct metrics_row {
	const char *value; /* of the family's label */
	const char *key;   /* in the object of the level, with dots between the names */
	const char *mean;
};

struct metrics_family {
	const char *name; /* without _total */
	enum metrics_kind kind;
	const char *unit; /* the end of the name, or NULL */
	const char *help;
	enum metrics_level level;
	double scale;      /* of the number in the report; 0: as it is */
	const char *label; /* that tells the rows apart, or NULL: there is one row */
	const struct metrics_row *rows;
	size_t n_rows;
	const char *needs; /* an object without this key has no sample, or NULL */
};

const struct metrics_family *metrics_families(size_t *ret_n);
extern const char *const metrics_states[]; /* NULL ends them */

#endif
