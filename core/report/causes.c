/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why slots were late, all of them together: the table of the live view, once. */
#include "core/report/print.h"

void report_why(const json_t *report, FILE *out)
{
	const char *name = report_text(report, "waveform");
	json_t *reports = json_pack("[O]", report);

	if (json_array_size(json_object_get(report, "causes")) == 0) {
		if (report_number(json_object_get(report, "slots"), "missed") > 0)
			fprintf(out,
			    "%s: slots were late, but since aloe-exec was started no record of one "
			    "has been read\n",
			    name);
		else
			fprintf(out, "no slot of %s was late\n", name);
	} else {
		fprintf(out, "%s: records of late slots and absent messages: %.0f\n", name,
		    report_number(report, "misses_counted"));
		view_causes_print(report, out);
	}
	causes_lost_print(reports, out);
	json_decref(reports);
	report_sources(report, out);
}
