/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/print.h - lines that the report and the live table share. */
#ifndef ALOE_REPORT_PRINT_H
#define ALOE_REPORT_PRINT_H

#include "core/report/report.h"

/* one line, and one for the reason if there is one */
void head_print(const json_t *report, FILE *out);
void index_print(const json_t *report, int width, FILE *out); /* "damaged" where it is null */
/* the counts of a radio, or of one of its channels, and of its slots */
void radio_counts_print(const json_t *counts, FILE *out);
void radio_slots_print(const json_t *radio, const char *label, FILE *out);
/* a line for each channel that does not stream, with the last thing that worked */
unsigned radio_troubles_print(const json_t *radio, const char *label, FILE *out);
void radio_faults_print(const json_t *radio, FILE *out); /* "  radio: 3 lost, 1 late" */
/* how often overrun = "mode" set something, and from where on it holds; nothing if never */
void report_modes_print(const json_t *report, const char *before, FILE *out);
/* "lane 0: ..." where a baton had to be reset or taken on, a line each: how many (out NULL: which
 * there would be) */
unsigned batons_print(const json_t *report, const char *label, FILE *out);
/* margin.c: how much time was left, a line for each lane that counts it and one for the radio;
 * budgets_print: a table of what calls left of their budgets */
void margins_print(const json_t *report, const char *label, FILE *out);
void budgets_print(const json_t *report, FILE *out);
/* untimed_print: of how many of the calls the times are, where not of all */
void untimed_print(const json_t *report, FILE *out);
/* a line: what a lane takes of its core with its waiting, and who is woken how often; nothing where
 * it is not known */
void spent_print(const json_t *lane, const char *label, FILE *out);
/* lines about the clocks of the nodes that the waveform is on (clocks.c) */
void clocks_print(const json_t *report, FILE *out);
/* lines about what the bridges of those nodes have sent and received (peers.c) */
void peers_print(const json_t *report, FILE *out);
/* lines about records of late slots that are not among the causes, of all reports of an array */
void causes_lost_print(const json_t *reports, FILE *out);
/* the table of the causes, as on the page of the live table */
void view_causes_print(const json_t *report, FILE *out);
/* " name value" of those that are not 0 */
void variables_print(const json_t *instance, FILE *out);

#endif
