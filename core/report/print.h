/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/print.h - lines that the report and the live table share. */
#ifndef ALOE_REPORT_PRINT_H
#define ALOE_REPORT_PRINT_H

#include "core/report/report.h"

void print_head(
    const json_t *report, FILE *out); /* one line, and one for the reason if there is one */
void print_lane(const json_t *instance, FILE *out); /* " %4d", or "all" for copies on several */
void print_radio_faults(const json_t *radio, FILE *out); /* "  radio: 3 lost, 1 late" */
void print_variables(
    const json_t *instance, FILE *out); /* "  name value" of those that are not 0 */

#endif
