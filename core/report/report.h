/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/report.h - the report of a waveform, as people read it.
 *
 * The report is the JSON object that exec makes (schema 1); swman saves it, `aloe run --json`
 * prints it. What a report lacks reads as zero or is left out, so that an older one can still be
 * shown.
 */
#ifndef ALOE_REPORT_H
#define ALOE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/json/json.h"
#include "core/plot/plot.h"

enum { REPORT_SCHEMA = 1 };

/* report_read parses a report and checks its schema. NULL, and the reason in diag. */
json_t *report_read(const char *file, const char *text, size_t len, struct diag *diag);

/* report_print writes the whole report: instances, lanes, slots, messages, blocks, latency,
 * variables, misses. */
void report_print(const json_t *report, FILE *out);
/* report_losses writes what this machine does without, one line each ("without real-time priority:
 * ..."). */
void report_losses(const json_t *report, FILE *out);

/* report_progress writes one line: slot, share done, load, what went wrong so far. */
void report_progress(const json_t *report, FILE *out);
void report_list(const json_t *list, FILE *out); /* of WIRE_LIST */

/* The profile, for execinfo. */
void report_profile(const json_t *report, FILE *out);     /* table, with times by port */
void report_profile_csv(const json_t *report, FILE *out); /* one line per instance, with a head */

/* causes.c: report_why writes the causes of all late slots as a table. why.c: report_miss the story
 * of one record (of WIRE_MISSES, misses.jsonl, or "misses") in five lines at most,
 * report_causes_line both in one line without its end, "" if no slot was late, report_sources one
 * line for each kind of evidence that is not here. */
void report_why(const json_t *report, FILE *out);
void report_miss(const json_t *report, const json_t *miss, FILE *out);
void report_causes_line(const json_t *report, char *ret_text, size_t size);
void report_sources(const json_t *report, FILE *out);

/* figure.c: report_figure makes a figure of the times of a run: of latency, lanes and instances, or
 * of the instances alone (`run` NULL), by their quantiles, beside budgets and the slot. Ends with
 * plot_fini. */
void report_figure(const json_t *report, const char *run, struct plot *ret);

/* report_ended: nothing more will change (all sinks closed, or stopped by a fault). */
bool report_ended(const json_t *report);
bool report_failed(const json_t *report); /* ended by a fault: state ABNSTOP */
/* report_radio_trouble: why a channel of the radio does not stream; NULL: all do. */
const char *report_radio_trouble(const json_t *report);
/* report_clean: no slot missed, slipped or skipped, no message late, absent, overwritten or
 * lost. */
bool report_clean(const json_t *report);
/* report_missed: slots that were missed or skipped. report_speaks tells whether the run's times may
 * speak for other runs: not if it missed or skipped more than one slot in a hundred; then why is in
 * ret_why (may be NULL). */
double report_missed(const json_t *report);
bool report_speaks(const json_t *report, char *ret_why, size_t size);

/* Numbers out of an object: 0 when absent or of another type; text "" when absent. */
double report_number(const json_t *object, const char *key);
const char *report_text(const json_t *object, const char *key);
/* report_lane writes the lane of an instance; of one in several places its lanes: 0,1. `all`: its
 * copies are on several, or there is no room for all lanes. */
enum { REPORT_LANES = 64 };
void report_lane(const json_t *instance, char *ret_text, size_t size);
/* report_find gives the first object of an array whose `key` is this text; NULL: there is none. */
json_t *report_find(const json_t *array, const char *key, const char *text);

/* report_duration writes 0.000001 .. 1e9 seconds with a unit: "10 ms", "333 us", "13.02 s". */
void report_duration(double seconds, char *ret_text, size_t size);

#endif
