/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The live table, the progress line, the list and the profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/print.h"

static void table_instances(const json_t *report, size_t most, FILE *out)
{
	const json_t *instances = json_object_get(report, "instances");
	const size_t len = json_array_size(instances);
	json_t *i;
	size_t n;

	fprintf(out, "  %-14s %4s %9s %9s %9s %9s %8s  %s\n", "instance", "lane", "mean us",
	    "p99 us", "max us", "kMAC", "share", "variables");
	json_array_foreach(instances, n, i)
	{
		if (n == most)
			break;
		fprintf(out, "  %-14.14s", report_text(i, "name"));
		print_lane(i, out);
		fprintf(out, " %9.2f %9.2f %9.2f %9.2f %6.2f %%", report_number(i, "mean_us"),
		    report_number(i, "p99_us"), report_number(i, "max_us"),
		    report_number(i, "kmac"), 100 * report_number(i, "share"));
		print_variables(i, out);
		fputc('\n', out);
	}
	if (len > most)
		fprintf(out, "  ... and %zu more\n", len - most);
}

static void table_lanes(const json_t *report, FILE *out)
{
	enum { BAR = 30 };
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const double load = report_number(lane, "load_mean");
		const int filled = (int)fmin(BAR, ceil(BAR * fmax(load, 0)));
		fprintf(out, "  lane %-2.0f CPU %-3.0f [%.*s%*s] %5.1f %% mean, %5.1f %% p99, %s\n",
		    report_number(lane, "lane"), report_number(lane, "cpu"), filled,
		    "##############################", BAR - filled, "", 100 * load,
		    100 * report_number(lane, "load_p99"), report_text(lane, "realtime"));
	}
}

static void table_counts(const json_t *report, FILE *out)
{
	const json_t *slots = json_object_get(report, "slots"),
	             *messages = json_object_get(report, "messages");
	const json_t *radio = json_object_get(report, "radio");

	fprintf(out,
	    "  slots: %.0f run, %.0f skipped, %.0f missed, %.0f slipped; messages: %.0f absent, %.0f late\n",
	    report_number(slots, "run"), report_number(slots, "skipped"),
	    report_number(slots, "missed"), report_number(slots, "slipped"),
	    report_number(messages, "absent"), report_number(messages, "late"));
	if (radio)
		fprintf(out,
		    "  radio: %.0f packets in, %.0f lost, %.0f behind, %.0f overruns, %.0f times set up anew; %.0f "
		    "out, "
		    "%.0f late, %.0f underruns, %.0f out of order, %.0f without room\n"
		    "         %.0f slots caught up, %.0f flywheeled, %.0f with samples missing\n",
		    report_number(radio, "packets"), report_number(radio, "lost"),
		    report_number(radio, "behind"), report_number(radio, "overruns"),
		    report_number(radio, "restarts"), report_number(radio, "sent"),
		    report_number(radio, "late"), report_number(radio, "underruns"),
		    report_number(radio, "sequence"), report_number(radio, "no_room"),
		    report_number(radio, "caught_up"), report_number(radio, "flywheeled"),
		    report_number(radio, "partial"));
}

/* cut copies lines, each at most `cols` characters, at most `rows` of them; returns how many. */
static unsigned cut(const char *text, unsigned rows, unsigned cols, FILE *out)
{
	unsigned lines = 0;

	while (*text && (!rows || lines < rows)) {
		const size_t len = strcspn(text, "\n");
		fprintf(out, "%.*s\n", (int)(cols && len > cols ? cols : len), text);
		text += len + (text[len] == '\n');
		lines++;
	}
	return lines;
}

unsigned report_table(const json_t *report, unsigned rows, unsigned cols, FILE *out)
{
	const size_t radio = json_object_get(report, "radio") ? 2 : 0;
	const size_t fixed = 4 + radio + json_array_size(json_object_get(report, "lanes"));
	const size_t most = !rows ? SIZE_MAX : rows > fixed ? rows - fixed : 0;
	unsigned lines = 0;
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return 0;
	print_head(report, memory);
	table_instances(report, most, memory);
	table_lanes(report, memory);
	table_counts(report, memory);
	if (fclose(memory) == 0)
		lines = cut(text, rows, cols, out);
	free(text);
	return lines;
}

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
	fprintf(out, "%s: %s, index %.0f", report_text(report, "waveform"),
	    report_text(report, "state"), index);
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
		fprintf(out, "; radio %.0f lost, %.0f late, %.0f underruns",
		    report_number(radio, "lost"), report_number(radio, "late"),
		    report_number(radio, "underruns"));
	fputc('\n', out);
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
		fprintf(out, "%-24s %-8s %12.0f  ", report_text(waveform, "name"),
		    report_text(waveform, "state"), report_number(waveform, "index"));
		json_array_foreach(json_object_get(waveform, "lanes"), l, lane)
		{
			fprintf(out, "%s%.0f", l ? "," : "", report_number(lane, "cpu"));
		}
		if (json_object_get(waveform, "radio"))
			print_radio_faults(json_object_get(waveform, "radio"), out);
		fputc('\n', out);
	}
}

/* ---- profile ------------------------------------------------------------------------------------------------------------ */

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
		    "lane %.0f: %.0f slots, load %.2f %% mean, %.2f %% p99, overhead %.3f us a slot\n",
		    report_number(lane, "lane"), report_number(lane, "slots"),
		    100 * report_number(lane, "load_mean"), 100 * report_number(lane, "load_p99"),
		    report_number(json_object_get(lane, "overhead_us"), "mean"));
	}
}

void report_profile(const json_t *report, FILE *out)
{
	json_t *i;
	size_t n;

	print_head(report, out);
	fprintf(out, "capacity of a core: %.1f MMAC/s (1 kMAC = %.3f us)\n\n",
	    report_number(report, "capacity_mmac"),
	    report_number(report, "capacity_mmac") > 0
	        ? 1000 / report_number(report, "capacity_mmac")
	        : 0);
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
	fprintf(out, "\ntime spent on inputs and outputs, mean of a call\n");
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		fprintf(out, "%-16s", report_text(i, "name"));
		profile_ports(i, "in", out);
		profile_ports(i, "out", out);
		fputc('\n', out);
	}
	fputc('\n', out);
	profile_overhead(report, out);
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
