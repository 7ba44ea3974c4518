/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress line, the list and the profile. */
#include "core/base/text.h"
#include "core/report/print.h"

void report_progress(const json_t *report, FILE *out)
{
	const json_t *slots = json_object_get(report, "slots"),
	             *messages = json_object_get(report, "messages");
	const json_t *radio = json_object_get(report, "radio");
	const double index = report_number(report, "index"),
	             wanted = report_number(report, "slots_wanted");
	char done[32];
	json_t *lane;
	size_t n;

	report_duration(index * report_number(report, "slot_ns") * 1e-9, done, sizeof(done));
	fprintf(
	    out, "%s: %s, index ", report_text(report, "waveform"), report_text(report, "state"));
	index_print(report, 0, out);
	if (wanted > 0)
		fprintf(out, " of %.0f", wanted);
	fprintf(out, " (%s), load", done);
	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		fprintf(out, "%s %.1f %%", n ? "," : "", 100 * report_number(lane, "load_mean"));
	}
	fprintf(out, "; %.0f skipped, %.0f missed, %.0f slipped; %.0f absent, %.0f late",
	    report_number(slots, "skipped"), report_number(slots, "missed"),
	    report_number(slots, "slipped"), report_number(messages, "absent"),
	    report_number(messages, "late"));
	if (radio)
		fprintf(out, "; radio %.0f lost, %.0f late, %.0f underrun%s",
		    report_number(radio, "lost"), report_number(radio, "late"),
		    report_number(radio, "underruns"), plural(report_number(radio, "underruns")));
	fputc('\n', out);
	report_modes_print(report, "  ", out);
	radio_troubles_print(radio, "radio ", out);
}

void report_list(const json_t *list, FILE *out)
{
	json_t *waveform, *lane;
	size_t n, l;

	if (json_array_size(list) == 0) {
		fprintf(out, "no waveform is loaded\n");
		return;
	}
	fprintf(out, "%-24s %-8s %12s  %s\n", "waveform", "state", "index", "lanes on CPU");
	json_array_foreach(list, n, waveform)
	{
		fprintf(out, "%-24s %-8s ", report_text(waveform, "name"),
		    report_text(waveform, "state"));
		index_print(waveform, 12, out);
		fputs("  ", out);
		json_array_foreach(json_object_get(waveform, "lanes"), l, lane)
		{
			fprintf(out, "%s%.0f", l ? "," : "", report_number(lane, "cpu"));
		}
		if (json_object_get(waveform, "radio"))
			radio_faults_print(json_object_get(waveform, "radio"), out);
		fputc('\n', out);
	}
}

/* ---- profile ------------------------------------------------------------------------ */

static void profile_ports(const json_t *instance, const char *key, FILE *out)
{
	json_t *port;
	size_t n;

	json_array_foreach(json_object_get(instance, key), n, port)
	{
		fprintf(out, "%s%s.%s %.3f us", n ? ", " : "  ", key, report_text(port, "port"),
		    report_number(port, "us"));
	}
}

static void profile_overhead(const json_t *report, FILE *out)
{
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		fprintf(out,
		    "lane %.0f (CPU %.0f): %.0f slot%s, load %.2f %% mean, %.2f %% p99, "
		    "overhead %.3f us a slot\n",
		    report_number(lane, "lane"), report_number(lane, "cpu"),
		    report_number(lane, "slots"), plural(report_number(lane, "slots")),
		    100 * report_number(lane, "load_mean"), 100 * report_number(lane, "load_p99"),
		    report_number(json_object_get(lane, "overhead_us"), "mean"));
		spent_print(lane, "  ", out);
	}
}

void report_profile(const json_t *report, FILE *out)
{
	const double capacity = report_number(report, "capacity_mmac");
	json_t *i;
	size_t n;

	head_print(report, out);
	if (capacity > 0)
		fprintf(out, "capacity of a core: %.1f MMAC/s (1 kMAC = %.3f us)\n\n", capacity,
		    1000 / capacity);
	else
		fprintf(out, "capacity of a core: could not be measured\n\n");
	fprintf(out, "%-16s %-18s %9s %9s %9s %9s %9s %9s %9s %8s\n", "instance", "component",
	    "calls", "mean us", "max us", "kMAC", "p50 us", "p99 us", "p99.9 us", "share");
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		fprintf(out, "%-16s %-18s %9.0f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %6.3f %%\n",
		    report_text(i, "name"), report_text(i, "component"), report_number(i, "calls"),
		    report_number(i, "mean_us"), report_number(i, "max_us"),
		    report_number(i, "kmac"), report_number(i, "p50_us"),
		    report_number(i, "p99_us"), report_number(i, "p999_us"),
		    100 * report_number(i, "share"));
	}
	untimed_print(report, out);
	fprintf(out, "\ntime spent on inputs and outputs, mean of a call\n");
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		fprintf(out, "%-16s", report_text(i, "name"));
		profile_ports(i, "in", out);
		profile_ports(i, "out", out);
		fputc('\n', out);
	}
	budgets_print(report, out);
	fputc('\n', out);
	profile_overhead(report, out);
	margins_print(report, "left at the end of a slot: ", out);
	fprintf(out, "`man aloe-words` explains the words of this profile\n");
}

void report_profile_csv(const json_t *report, FILE *out)
{
	static const char *const numbers[] = {"lane", "lag", "calls", "mean_us", "max_us", "kmac",
	    "p50_us", "p99_us", "p999_us", "share", "overruns"};
	const size_t len = sizeof(numbers) / sizeof(numbers[0]);
	json_t *i;
	size_t n;

	fprintf(out, "waveform,instance,component");
	for (size_t c = 0; c < len; c++)
		fprintf(out, ",%s", numbers[c]);
	fputc('\n', out);
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		fprintf(out, "%s,%s,%s", report_text(report, "waveform"), report_text(i, "name"),
		    report_text(i, "component"));
		for (size_t c = 0; c < len; c++)
			fprintf(out, ",%.9g", report_number(i, numbers[c]));
		fputc('\n', out);
	}
}
