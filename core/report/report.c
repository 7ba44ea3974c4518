/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/text.h"
#include "core/report/print.h"

json_t *report_read(const char *file, const char *text, size_t len, struct diag *diag)
{
	json_t *report = json_read(file, text, len, diag);
	const double schema = report_number(report, "schema");

	if (report && schema != REPORT_SCHEMA) {
		diag_error(diag, file, 0,
		    "the report has schema %g, and this program reads schema %d", schema,
		    REPORT_SCHEMA);
		json_decref(report);
		return NULL;
	}
	return report;
}

void report_duration(double seconds, char *ret_text, size_t size)
{
	const double s = fabs(seconds);

	if (s == 0)
		snprintf(ret_text, size, "0 s");
	else if (s < 1e-3)
		snprintf(ret_text, size, "%.4g us", seconds * 1e6);
	else if (s < 1)
		snprintf(ret_text, size, "%.4g ms", seconds * 1e3);
	else
		snprintf(ret_text, size, "%.2f s", seconds);
}

bool report_failed(const json_t *report)
{
	return !strcmp(report_text(report, "state"), "ABNSTOP");
}

bool report_ended(const json_t *report)
{
	return report_failed(report) || json_is_true(json_object_get(report, "drained"));
}

/* What a radio counts that should not be, and the words for it. */
static const struct {
	const char *key, *word;
	bool noun;
} radio_faults[] = {{"lost", "lost", false}, {"behind", "behind", false},
    {"overruns", "overrun", true}, {"unsized", "lost without a number", false},
    {"late", "late", false}, {"no_room", "dropped for lack of room", false},
    {"underruns", "underrun", true}, {"restarts", "set up again", false},
    {"sequence", "out of order", false}, {"flywheeled", "flywheeled slot", true}};

enum { RADIO_FAULTS = sizeof(radio_faults) / sizeof(radio_faults[0]) };

void radio_faults_print(const json_t *radio, FILE *out)
{
	unsigned n = 0;

	fprintf(out, "  radio:");
	for (size_t i = 0; i < RADIO_FAULTS; i++) {
		const double count = report_number(radio, radio_faults[i].key);

		if (count > 0)
			fprintf(out, "%s %.0f %s%s", n++ ? "," : "", count, radio_faults[i].word,
			    radio_faults[i].noun ? plural(count) : "");
	}
	if (report_number(radio, "failed") > 0)
		fprintf(out, "%s %.0f failed attempt%s to set the radio up", n++ ? "," : "",
		    report_number(radio, "failed"), plural(report_number(radio, "failed")));
	if (radio_troubles_print(radio, "", NULL) > 0)
		fprintf(out, "%s does not stream", n++ ? "," : "");
	fprintf(out, n ? "" : " nothing lost or late");
}

bool report_clean(const json_t *report)
{
	static const char *const slots[] = {"skipped", "missed", "slipped"};
	static const char *const messages[] = {"absent", "late", "overwritten", "lost"};
	double bad = 0;

	for (size_t i = 0; i < 3; i++)
		bad += report_number(json_object_get(report, "slots"), slots[i]);
	for (size_t i = 0; i < 4; i++)
		bad += report_number(json_object_get(report, "messages"), messages[i]);
	for (size_t i = 0; i < RADIO_FAULTS; i++)
		bad += report_number(json_object_get(report, "radio"), radio_faults[i].key);
	return bad == 0;
}

/* ---- final report ------------------------------------------------------------------------ */

/* In words for people; the states' names for those between. */
static const char *state_word(const json_t *report)
{
	if (report_failed(report))
		return "stopped by a fault (ABNSTOP)";
	return report_ended(report) ? "ended" : report_text(report, "state");
}

void index_print(const json_t *report, int width, FILE *out)
{
	if (json_is_null(json_object_get(report, "index")))
		fprintf(out, "%*s", width, "damaged");
	else
		fprintf(out, "%*.0f", width, report_number(report, "index"));
}

void head_print(const json_t *report, FILE *out)
{
	const double wanted = report_number(report, "slots_wanted");
	char slot[32];

	report_duration(report_number(report, "slot_ns") * 1e-9, slot, sizeof(slot));
	fprintf(out, "%s: %s, index ", report_text(report, "waveform"), state_word(report));
	index_print(report, 0, out);
	if (wanted > 0)
		fprintf(out, " of %.0f", wanted);
	if (report_number(report, "copies") > 1)
		fprintf(out, ", %.0f copies", report_number(report, "copies"));
	fprintf(out, ", slot %s, clock %s, late %s, isolation %s\n", slot,
	    report_text(report, "clock"), report_text(report, "late"),
	    report_text(report, "isolation"));
	if (report_text(report, "reason")[0])
		fprintf(out, "reason     %s\n", report_text(report, "reason"));
	if (report_text(report, "damaged")[0])
		fprintf(out, "damaged    %s: no number of this report can be relied on\n",
		    report_text(report, "damaged"));
}

static void lane_print(const json_t *instance, FILE *out)
{
	char text[16];

	report_lane(instance, text, sizeof(text));
	fprintf(out, " %4s", text);
}

static int name_width(const json_t *instances)
{
	size_t i, width = 8;
	json_t *instance;

	json_array_foreach(instances, i, instance)
	{
		const size_t len = strlen(report_text(instance, "name"));
		width = len > width ? len : width;
	}
	return width < 32 ? (int)width : 32;
}

static void instances_print(const json_t *report, FILE *out)
{
	const json_t *instances = json_object_get(report, "instances");
	const int width = name_width(instances);
	json_t *i;
	size_t n;

	fprintf(out, "\n  %-*s  %-20s %4s %9s %9s %9s %9s %9s %9s %7s\n", width, "instance",
	    "component", "lane", "calls", "mean us", "p50 us", "p99 us", "max us", "kMAC", "share");
	json_array_foreach(instances, n, i)
	{
		fprintf(out, "  %-*.*s  %-20.20s", width, width, report_text(i, "name"),
		    report_text(i, "component"));
		lane_print(i, out);
		fprintf(out, " %9.0f %9.2f %9.2f %9.2f %9.2f %9.2f %5.2f %%\n",
		    report_number(i, "calls"), report_number(i, "mean_us"),
		    report_number(i, "p50_us"), report_number(i, "p99_us"),
		    report_number(i, "max_us"), report_number(i, "kmac"),
		    100 * report_number(i, "share"));
	}
	untimed_print(report, out);
}

/* What the plan counts for a usual slot, beside one as it was. */
static void planned_print(const json_t *report, const json_t *lane, FILE *out)
{
	const double planned = report_number(lane, "planned_us");
	const double median =
	    report_number(lane, "load_p50") * report_number(report, "slot_ns") * 1e-3;

	if (planned > 0 && median > 0)
		fprintf(out,
		    "           planned %.2f us per slot, measured %.2f us (median, %+.1f %%)\n",
		    planned, median, 100 * (median / planned - 1));
	else if (median > 0 && json_object_get(lane, "planned_us"))
		fprintf(out,
		    "           no earlier measurement; this run used %.2f us per slot (median)\n",
		    median);
}

/* Instances that have another build than at the load. */
static void upgrades_print(const json_t *report, FILE *out)
{
	json_t *instance;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		if (json_object_get(instance, "upgrade"))
			fprintf(out,
			    "upgraded   %s has another build of %s since index %.0f; its times "
			    "count from there\n",
			    report_text(instance, "name"), report_text(instance, "component"),
			    report_number(instance, "upgraded_at"));
	}
}

/* Of a run that is older, or whose exec was started again, nothing is known. */
void spent_print(const json_t *lane, const char *label, FILE *out)
{
	const double slots = report_number(lane, "slots") + report_number(lane, "skipped");

	if (!json_is_number(json_object_get(lane, "core_mean")) || slots <= 0)
		return;
	fprintf(out,
	    "%stakes %.2f %% of the core with its waiting; wake-ups a slot: lane %.3f, watchdog "
	    "%.3f, I/O %.3f\n",
	    label, 100 * report_number(lane, "core_mean"), report_number(lane, "wakes") / slots,
	    report_number(lane, "watchdog_wakes") / slots, report_number(lane, "io_wakes") / slots);
}

static void lanes_print(const json_t *report, FILE *out)
{
	json_t *lane;
	size_t n;

	fputc('\n', out);
	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const json_t *late = json_object_get(lane, "late_us");
		fprintf(out, "lane %.0f     CPU %.0f, %s: load %.2f %% mean, %.2f %% p99",
		    report_number(lane, "lane"), report_number(lane, "cpu"),
		    report_text(lane, "realtime"), 100 * report_number(lane, "load_mean"),
		    100 * report_number(lane, "load_p99"));
		if (report_number(late, "max") > 0)
			fprintf(out,
			    "; begins %.1f us after the slot's edge (p50), %.1f p99, %.1f max",
			    report_number(late, "p50"), report_number(late, "p99"),
			    report_number(late, "max"));
		fprintf(out, "; overhead %.2f us\n",
		    report_number(json_object_get(lane, "overhead_us"), "mean"));
		planned_print(report, lane, out);
		spent_print(lane, "           ", out);
	}
	if (report_number(report, "remaps") > 0)
		fprintf(out,
		    "remapped   %.0f time%s; the lines of lanes count from the last remap on\n",
		    report_number(report, "remaps"), plural(report_number(report, "remaps")));
	upgrades_print(report, out);
}

enum { LANE_TEXT = 40 };

/* "lane 0 (CPU 1)": a lane of the waveform, by its number. */
static const char *lane_text(const json_t *report, double number, char text[LANE_TEXT])
{
	json_t *lane;
	size_t n;

	snprintf(text, LANE_TEXT, "lane %.0f", number);
	json_array_foreach(
	    json_object_get(report, "lanes"), n, lane) if (report_number(lane, "lane") == number)
	    snprintf(text, LANE_TEXT, "lane %.0f (CPU %.0f)", number, report_number(lane, "cpu"));
	return text;
}

unsigned batons_print(const json_t *report, const char *label, FILE *out)
{
	char text[LANE_TEXT];
	unsigned lines = 0;
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const double resets = report_number(lane, "baton_resets"),
		             rescues = report_number(lane, "baton_rescues");

		if (resets + rescues == 0)
			continue;
		lines++;
		if (out)
			fprintf(out,
			    "%s%s: baton reset %.0f time%s (overwritten), "
			    "rescued %.0f time%s (no exec)\n",
			    label, lane_text(report, report_number(lane, "lane"), text), resets,
			    plural(resets), rescues, plural(rescues));
	}
	return lines;
}

static void counts_print(const json_t *report, FILE *out)
{
	const json_t *slots = json_object_get(report, "slots"),
	             *messages = json_object_get(report, "messages");

	const double drain = report_number(slots, "drain");

	fprintf(out, "slots      %.0f run, %.0f skipped, %.0f missed, %.0f slipped",
	    report_number(slots, "run"), report_number(slots, "skipped"),
	    report_number(slots, "missed"), report_number(slots, "slipped"));
	if (drain > 0)
		fprintf(out, "; %.0f more until the last message arrived", drain);
	fputc('\n', out);
	fprintf(out, "messages   %.0f absent, %.0f late, %.0f overwritten, %.0f lost\n",
	    report_number(messages, "absent"), report_number(messages, "late"),
	    report_number(messages, "overwritten"), report_number(messages, "lost"));
	batons_print(report, "batons     ", out);
}

void radio_counts_print(const json_t *counts, FILE *out)
{
	const double packets = report_number(counts, "packets"),
	             overruns = report_number(counts, "overruns"),
	             restarts = report_number(counts, "restarts"),
	             unsized = report_number(counts, "unsized"),
	             underruns = report_number(counts, "underruns");

	fprintf(out,
	    "%.0f packet%s in, %.0f lost, %.0f reordered, %.0f behind the slot, %.0f overrun%s, "
	    "%.0f time%s set up again; ",
	    packets, plural(packets), report_number(counts, "lost"),
	    report_number(counts, "reordered"), report_number(counts, "behind"), overruns,
	    plural(overruns), restarts, plural(restarts));
	if (unsized > 0)
		fprintf(out, "%.0f loss%s of unknown size; ", unsized, unsized == 1 ? "" : "es");
	fprintf(out, "%.0f out, %.0f late, %.0f underrun%s, %.0f out of order, %.0f without room\n",
	    report_number(counts, "sent"), report_number(counts, "late"), underruns,
	    plural(underruns), report_number(counts, "sequence"), report_number(counts, "no_room"));
}

void radio_slots_print(const json_t *radio, const char *label, FILE *out)
{
	const double caught = report_number(radio, "caught_up");

	fprintf(out, "%s%.0f slot%s caught up, %.0f flywheeled, %.0f with samples missing\n", label,
	    caught, plural(caught), report_number(radio, "flywheeled"),
	    report_number(radio, "partial"));
}

const char *report_radio_trouble(const json_t *report)
{
	const json_t *channels = json_object_get(json_object_get(report, "radio"), "channels");
	const json_t *c;
	size_t n;

	json_array_foreach(channels, n, c)
	{
		if (json_object_get(c, "trouble"))
			return report_text(c, "trouble");
	}
	return NULL;
}

unsigned radio_troubles_print(const json_t *radio, const char *label, FILE *out)
{
	unsigned lines = 0;
	const json_t *c;
	size_t n;

	json_array_foreach(json_object_get(radio, "channels"), n, c)
	{
		const double failed = report_number(c, "failed");

		if (!json_object_get(c, "trouble"))
			continue;
		lines++;
		if (out)
			fprintf(out, "%sdoes not stream: %s", label, report_text(c, "trouble"));
		if (out && failed > 0)
			fprintf(out, " (%.0f attempt%s failed)", failed, plural(failed));
		if (out)
			fputc('\n', out);
	}
	return lines;
}

static void radio_print(const json_t *report, FILE *out)
{
	const json_t *radio = json_object_get(report, "radio");
	json_t *c;
	size_t n;

	json_array_foreach(json_object_get(radio, "channels"), n, c)
	{
		fprintf(out, "radio      channel %zu: ", n);
		radio_counts_print(c, out);
	}
	if (radio)
		radio_slots_print(radio, "           ", out);
	radio_troubles_print(radio, "radio      ", out);
}

/* "10 blocks, 1 block error (BLER 0.1)"; with nothing counted there is no rate. */
static void errors_print(const json_t *variables, const char *noun, const char *rate, FILE *out)
{
	char of_key[16], errors_key[16];

	snprintf(of_key, sizeof(of_key), "%ss", noun);
	snprintf(errors_key, sizeof(errors_key), "%s_errors", noun);
	const double of = report_number(variables, of_key),
	             errors = report_number(variables, errors_key);

	fprintf(
	    out, "%.0f %s%s, %.0f %s error%s", of, noun, plural(of), errors, noun, plural(errors));
	if (of > 0)
		fprintf(out, " (%s %.3g)", rate, errors / of);
}

static void blocks_print(const json_t *report, FILE *out)
{
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		const json_t *v = json_object_get(i, "variables"),
		             *worst = json_object_get(i, "worst");

		if (!json_object_get(v, "block_errors"))
			continue;
		fprintf(out, "blocks     %s: ", report_text(i, "name"));
		errors_print(v, "block", "BLER", out);
		if (json_object_get(v, "bit_errors")) {
			fputs(", ", out);
			errors_print(v, "bit", "BER", out);
		}
		if (worst)
			fprintf(out, "; the worst copy is %.0f with %.0f block error%s",
			    report_number(worst, "copy"), report_number(worst, "block_errors"),
			    plural(report_number(worst, "block_errors")));
		fputc('\n', out);
	}
}

static void latency_print(const json_t *report, FILE *out)
{
	const json_t *latency = json_object_get(report, "latency"),
	             *us = json_object_get(latency, "measured_us");
	const double stated = report_number(latency, "slots"),
	             least = report_number(latency, "measured_slots_min"),
	             most = report_number(latency, "measured_slots_max");

	fprintf(out, "latency    stated %.0f slot%s = %.0f us", stated, plural(stated),
	    report_number(latency, "us"));
	if (report_number(us, "count") > 0) {
		fprintf(out, "; measured %.0f", least);
		if (most != least)
			fprintf(out, " .. %.0f", most);
		fprintf(out, " slot%s; source to sink %.1f us mean, %.1f p50, %.1f p99, %.1f max",
		    plural(most), report_number(us, "mean"), report_number(us, "p50"),
		    report_number(us, "p99"), report_number(us, "max"));
	}
	fputc('\n', out);
}

void variables_print(const json_t *instance, FILE *out)
{
	const char *key;
	char number[NUMBER_TEXT];
	json_t *value;

	json_object_foreach(json_object_get(instance, "variables"), key, value)
	{
		if (json_is_integer(value) && json_integer_value(value))
			fprintf(out, "  %s %" JSON_INTEGER_FORMAT, key, json_integer_value(value));
		else if (json_is_real(value) && json_real_value(value) != 0)
			fprintf(
			    out, "  %s %s", key, number_text(json_real_value(value), 6, number));
	}
}

static bool has_variables(const json_t *instance)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(instance, "variables"), key, value)
	{
		if (json_number_value(value) != 0)
			return true;
	}
	return false;
}

static void all_variables_print(const json_t *report, FILE *out)
{
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		if (!has_variables(i) ||
		    json_object_get(json_object_get(i, "variables"), "block_errors"))
			continue;
		fprintf(out, "variables  %s:", report_text(i, "name"));
		variables_print(i, out);
		fputc('\n', out);
	}
}

/* Calls that took longer than their budgets, those of the user or (not `given`) those expected by
 * the plan: how many in all, and whose most. */
static double overruns_count(const json_t *report, bool given, const json_t **ret_worst)
{
	double sum = 0;
	json_t *i;
	size_t n;

	*ret_worst = NULL;
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		if (json_is_true(json_object_get(i, "budget_given")) != given)
			continue;
		sum += report_number(i, "overruns");
		if (report_number(i, "overruns") > report_number(*ret_worst, "overruns"))
			*ret_worst = i;
	}
	return sum;
}

static void overruns_print(const json_t *report, FILE *out)
{
	const double missed = report_missed(report);
	const json_t *worst;
	double sum = overruns_count(report, true, &worst);
	char deadlines[60] = "no deadline missed";

	if (missed > 0)
		snprintf(deadlines, sizeof(deadlines), "%.0f slot%s missed or skipped", missed,
		    plural(missed));
	if (worst)
		fprintf(out,
		    "budgets    exceeded %.0f time%s (%s), most often by %s: %.0f time%s\n", sum,
		    plural(sum), deadlines, report_text(worst, "name"),
		    report_number(worst, "overruns"), plural(report_number(worst, "overruns")));
	sum = overruns_count(report, false, &worst);
	if (worst)
		fprintf(out,
		    "calls      %.0f call%s took longer than expected (%s), most often %s: %.0f\n",
		    sum, plural(sum), deadlines, report_text(worst, "name"),
		    report_number(worst, "overruns"));
}

void report_modes_print(const json_t *report, const char *before, FILE *out)
{
	const double modes = report_number(report, "modes");
	const json_t *index = json_object_get(report, "mode_index");

	if (modes <= 0)
		return;
	fprintf(
	    out, "%soverrun = \"mode\" set on_overrun %.0f time%s", before, modes, plural(modes));
	if (json_is_integer(index))
		fprintf(out, ", now from index %lld on", (long long)json_integer_value(index));
	fputc('\n', out);
}

/* share of the slots: beyond it the p99 is not the component's any more */
#define SPEAKS_MISSED_MAX 0.01

double report_missed(const json_t *report)
{
	const json_t *slots = json_object_get(report, "slots");

	return report_number(slots, "missed") + report_number(slots, "skipped");
}

bool report_speaks(const json_t *report, char *ret_why, size_t size)
{
	const double run = report_number(json_object_get(report, "slots"), "run"),
	             missed = report_missed(report);

	if (missed <= SPEAKS_MISSED_MAX * run)
		return true;
	if (ret_why)
		snprintf(ret_why, size,
		    "the run missed or skipped %.0f of %.0f slot%s, so its times do not predict "
		    "the next run",
		    missed, run, plural(run));
	return false;
}

static void speaks_print(const json_t *report, FILE *out)
{
	char why[160];

	if (!report_speaks(report, why, sizeof(why)))
		fprintf(out, "costs      not stored: %s\n", why);
}

/* Of copies: where the last has written, if that is another file. */
static void last_path_print(const json_t *instance, const char *key, const char *first, FILE *out)
{
	const char *last = report_text(json_object_get(instance, "paths_last"), key);

	if (last[0] && strcmp(last, first) != 0)
		fprintf(out, " ... %s", last);
}

/* Where the sinks have written. */
static void files_print(const json_t *report, FILE *out)
{
	json_t *i, *path;
	const char *key;
	struct stat st;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		if (!json_is_true(json_object_get(i, "sink")))
			continue;
		json_object_foreach(json_object_get(i, "paths"), key, path)
		{
			const char *text = json_string_value(path);
			if (!text || !text[0])
				continue;
			fprintf(out, "written    %s: %s", report_text(i, "name"), text);
			last_path_print(i, key, text, out);
			if (stat(text, &st) == 0 && S_ISREG(st.st_mode))
				fprintf(out, " (%lld bytes)", (long long)st.st_size);
			fputc('\n', out);
		}
	}
}

enum { MISSES_SHOWN = 10 };

static void misses_print(const json_t *report, FILE *out)
{
	const json_t *misses = json_object_get(report, "misses");
	const size_t len = json_array_size(misses);
	char text[LANE_TEXT];
	json_t *m;
	size_t n;

	json_array_foreach(misses, n, m)
	{
		if (n == MISSES_SHOWN)
			break;
		fprintf(out, "miss       slot %.0f, %s, %s, %.1f us late: %s\n",
		    report_number(m, "slot"), lane_text(report, report_number(m, "lane"), text),
		    report_text(m, "instance"), report_number(m, "late_us"),
		    report_text(m, "cause"));
	}
	if (len > MISSES_SHOWN)
		fprintf(
		    out, "miss       ... and %zu more in the JSON report\n", len - MISSES_SHOWN);
}

void report_losses(const json_t *report, FILE *out)
{
	json_t *line;
	size_t n;

	json_array_foreach(json_object_get(report, "losses"), n, line)
	{
		fprintf(out, "feature lost: %s\n",
		    json_string_value(line) ? json_string_value(line) : "");
	}
}

void report_print(const json_t *report, FILE *out)
{
	head_print(report, out);
	instances_print(report, out);
	lanes_print(report, out);
	margins_print(report, "left       ", out);
	counts_print(report, out);
	radio_print(report, out);
	latency_print(report, out);
	clocks_print(report, out);
	peers_print(report, out);
	blocks_print(report, out);
	all_variables_print(report, out);
	overruns_print(report, out);
	report_modes_print(report, "mode       ", out);
	speaks_print(report, out);
	misses_print(report, out);
	report_sources(report, out);
	files_print(report, out);
	fprintf(out, "words      `man aloe-words` explains the words of this report\n");
}
