/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe run FILE --record DIR. Recorders have a path, so on the nodes of a platform all of them run
 * on the node of this command, wherever what they read comes from. The folder gets
 *
 *	waveform.conf               the waveform after --set, with the numbers of its arrays
 *	control.jsonl               core/recording/control.h; aloe-swman adds lines while it runs
 *	INSTANCE.PORT.messages      core/recording/table.h: what came from outside
 *	INSTANCE.PORT.sigmf-data    its samples, and .sigmf-meta (SigMF) when the run is over
 *	rec_INSTANCE_PORT.sha256    what sinks got
 *	INSTANCE.PORT.digests       core/recording/digests.h: with --digests, of every link */
#include "tools/aloe/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/recording/control.h"
#include "core/report/report.h"
#include "tools/aloe/describe.h"
#include "tools/aloe/digests.h"
#include "tools/aloe/recording.h"
#include "tools/aloe/run.h"
#include "tools/aloe/sinks.h"
#include "tools/aloe/source.h"
#include "tools/aloe/standard.h"

enum { FILE_HASH_MAX = 1 << 30, PARAMS = 4400 };

struct record_job {
	const struct cli_args *args;
	struct source source;
	struct sinks sinks;
	struct wf_graft *outputs; /* what comes from outside */
	char (*params)[PARAMS];
	size_t n_outputs;
	struct digesters digesters; /* none without --digests */
	char dir[4096];
};

bool record_is_radio(const struct wf_instance *instance)
{
	return strncmp(instance->type->name, "radio_", 6) == 0;
}

bool record_is_outside(const struct wf_instance *instance)
{
	return instance->type->fills || (record_is_radio(instance) && instance->n_out > 0);
}

/* Its files may be on another machine, and what has their names here is something else. */
static bool is_elsewhere(const struct record_job *record, const struct wf_instance *instance)
{
	return cli_has(record->args, "platform") && instance->node;
}

/* ---- the folder ---------------------------------------------------------------------------- */

static bool folder_is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool empty = dir != NULL;

	while (dir && (entry = readdir(dir)))
		empty &= entry->d_name[0] == '.';
	if (dir)
		closedir(dir);
	return empty;
}

int record_folder(const struct cli_args *args, const char *option, const char *given,
    const char *cwd, char *ret, size_t size)
{
	int rc = given[0] == '/' ? path_print(ret, size, "%s", given)
	                         : path_print(ret, size, "%s/%s", cwd, given);

	if (rc == 0)
		rc = dir_make(ret);
	if (rc < 0)
		return cli_fail(args, "%s%s: %s", option, given, strerror(-rc));
	if (!folder_is_empty(ret))
		return cli_fail(args,
		    "%s%s: the folder is not empty; a recording has a folder of its own", option,
		    given);
	return CLI_OK;
}

int record_text(const char *dir, const char *name, char *text)
{
	char path[4200];
	int rc = text ? path_print(path, sizeof(path), "%s/%s", dir, name) : -ENOMEM;

	if (rc == 0)
		rc = file_write(path, text, strlen(text));
	free(text);
	if (rc < 0)
		fprintf(stderr, "aloe: %s/%s: %s\n", dir, name, strerror(-rc));
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

int record_line(const char *dir, bool first, json_t *object)
{
	char *line = object ? json_dumps(object, JSON_COMPACT) : NULL, path[4200];
	FILE *file = NULL;
	int status = CLI_FAILED, fd = -1;

	json_decref(object);
	if (line && path_print(path, sizeof(path), "%s/control.jsonl", dir) == 0)
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | (first ? O_CREAT : 0), 0666);
	if (fd >= 0)
		file = fdopen(fd, "a");
	if (file) {
		const bool written =
		    fprintf(file, "%s\n", line) > 0 && fflush(file) == 0 && fsync(fd) == 0;

		if (fclose(file) == 0 && written)
			status = CLI_OK;
	}
	if (status != CLI_OK)
		fprintf(
		    stderr, "aloe: %s/control.jsonl cannot be written: %s\n", dir, strerror(errno));
	free(line);
	return status;
}

/* ---- what is recorded ---------------------------------------------------------------------- */

static void output_add(struct record_job *record, int instance, int port)
{
	const struct waveform *waveform = record->source.waveform;
	struct wf_graft *graft = &record->outputs[record->n_outputs];
	char *params = record->params[record->n_outputs++];

	*graft = (struct wf_graft){.instance = instance,
	    .port = port,
	    .component = "recorder",
	    .params = params,
	    .beside =
	        !cli_has(record->args, "platform") && waveform->instances[instance].replicas == 1};
	wf_graft_name(waveform, "in", graft);
	snprintf(params, PARAMS, "keep = \"messages\"; path = \"%s/%s.%s\";", record->dir,
	    waveform->instances[instance].name,
	    wf_output_name(&waveform->instances[instance], port));
}

static int outputs_list(struct record_job *record)
{
	const struct waveform *waveform = record->source.waveform;

	record->outputs = calloc(waveform->n_links + 1, sizeof(*record->outputs));
	record->params = calloc(waveform->n_links + 1, sizeof(*record->params));
	if (!record->outputs || !record->params)
		return CLI_FAILED;
	for (size_t i = 0; i < waveform->n_instances; i++)
		for (uint32_t p = 0; p < waveform->instances[i].n_out; p++)
			if (record_is_outside(&waveform->instances[i]) &&
			    waveform->instances[i].out[p].link >= 0)
				output_add(record, (int)i, (int)p);
	if (cli_has(record->args, "digests") &&
	    digesters_list(waveform, record->dir, &record->digesters) < 0)
		return CLI_FAILED;
	return sinks_list(waveform, &record->sinks) < 0 ? CLI_FAILED : CLI_OK;
}

static json_t *outputs_names(const struct record_job *record)
{
	json_t *names = json_array();

	for (size_t i = 0; i < record->n_outputs; i++) {
		const struct wf_graft *graft = &record->outputs[i];
		const struct wf_instance *instance =
		    &record->source.waveform->instances[graft->instance];

		json_array_append_new(names,
		    json_sprintf("%s.%s", instance->name, wf_output_name(instance, graft->port)));
	}
	return names;
}

static json_t *components_hashes(const struct waveform *waveform)
{
	json_t *hashes = json_object();

	for (size_t i = 0; i < waveform->n_instances; i++)
		json_object_set_new(hashes, waveform->instances[i].type->name,
		    json_string(component_build(waveform->instances[i].type)));
	return hashes;
}

/* Files that a component reads itself: those that come from outside are recorded. */
static json_t *files_hashes(const struct waveform *waveform, const struct record_job *record)
{
	json_t *hashes = json_object();

	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];
		char hex[SHA256_TEXT];

		for (size_t k = 0; k < instance->type->n_params; k++)
			if (instance->type->params[k].kind == ALOE_KIND_PATH &&
			    !instance->type->fills && !instance->type->drains &&
			    !(record && is_elsewhere(record, instance)) &&
			    sha256_file(instance->values[k].text, FILE_HASH_MAX, hex) == 0)
				json_object_set_new(
				    hashes, instance->values[k].text, json_string(hex));
	}
	return hashes;
}

/* All instances of the run, if they may miss something. */
static json_t *lapses_names(const struct record_job *record)
{
	const struct waveform *waveform = record->source.waveform;
	json_t *names = json_object();

	if (!waveform_lapses(waveform))
		return names;
	for (size_t i = 0; i < waveform->n_instances; i++)
		json_object_set_new(names, waveform->instances[i].name, json_string(""));
	for (size_t i = 0; i < record->sinks.n_grafts; i++)
		json_object_set_new(names, record->sinks.grafts[i].name, json_string(""));
	for (size_t i = 0; i < record->n_outputs; i++)
		json_object_set_new(names, record->outputs[i].name,
		    json_string(waveform->instances[record->outputs[i].instance].name));
	for (size_t i = 0; i < record->digesters.n; i++)
		json_object_set_new(names, record->digesters.grafts[i].name, json_string(""));
	return names;
}

static json_t *head_make(const struct waveform *waveform, const struct record_job *record,
    const char *text, uint64_t slots, json_t *outputs, json_t *lapses)
{
	char hex[SHA256_TEXT];

	sha256_text(text, strlen(text), hex);
	return json_pack("{s:i, s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "recording",
	    CONTROL_VERSION, "version", ALOE_VERSION, "waveform", waveform->name, "text_sha256",
	    hex, "slots", (json_int_t)slots, "components", components_hashes(waveform), "files",
	    files_hashes(waveform, record), "outputs", outputs, "lapses", lapses);
}

json_t *record_head(const struct waveform *waveform, const char *text, uint64_t slots,
    json_t *outputs, json_t *lapses)
{
	return head_make(waveform, NULL, text, slots, outputs, lapses);
}

static int head_write(const struct record_job *record, const char *text)
{
	uint64_t slots = 0;
	json_t *head;

	if (cli_whole(record->args, "slots", 1, CONTROL_INDEX_MAX, &slots) < 0)
		return CLI_USAGE;
	head = head_make(record->source.waveform, record, text, slots, outputs_names(record),
	    lapses_names(record));
	if (record->digesters.n)
		json_object_set_new(
		    head, "digests", digesters_names(&record->digesters, record->source.waveform));
	return record_line(record->dir, true, head);
}

static int texts_write(struct record_job *record)
{
	struct wf_graft *grafts =
	    digesters_join(&record->digesters, record->outputs, record->n_outputs);
	const struct wf_print print = {
	    .grafts = grafts, .n_grafts = record->n_outputs + record->digesters.n};
	char *text = grafts ? waveform_print(record->source.waveform, NULL) : NULL;
	int status = text ? head_write(record, text) : CLI_FAILED;

	if (status == CLI_OK) {
		status = record_text(record->dir, "waveform.conf", text);
		text = NULL;
	}
	if (status == CLI_OK)
		status = record_text(record->dir, "running.conf",
		    sinks_print(&record->sinks, record->source.waveform, &print, record->dir));
	free(grafts);
	free(text);
	return status;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* The options of the user, but for what the text has already. */
static int recorded_run(struct record_job *record, json_t **ret_report)
{
	struct cli_args args = *record->args;
	struct cli_given *given = calloc(args.n_given + 1, sizeof(*given));
	char path[4200];
	const char *file[] = {path};
	size_t n = 0;
	int status = CLI_FAILED;

	for (size_t i = 0; given && i < args.n_given; i++) {
		const char *name = args.given[i].option->name;

		if (strcmp(name, "copies") == 0 || strcmp(name, "set") == 0 ||
		    strcmp(name, "digests") == 0)
			continue;
		given[n] = args.given[i];
		if (strcmp(name, "record") == 0)
			given[n].value = record->dir;
		n++;
	}
	args.given = given;
	args.n_given = n;
	args.args = file;
	if (given && path_print(path, sizeof(path), "%s/running.conf", record->dir) == 0) {
		status = run_waveform(&args, NULL, ret_report);
		unlink(path);
	}
	free(given);
	return status;
}

/* ---- afterwards ---------------------------------------------------------------------------- */

/* Messages that a recorder or digester has lost, which of them it does not matter: from there on
 * there is no recording. */
static double lost_count(const json_t *report)
{
	json_t *instance;
	double lost = 0;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		if (strcmp(report_text(instance, "component"), "recorder") == 0 ||
		    strcmp(report_text(instance, "component"), "digester") == 0)
			lost += report_number(json_object_get(instance, "variables"), "lost");
	}
	return lost;
}

json_t *record_hashes(const char *dir, json_t *names)
{
	json_t *hashes = json_object(), *name;
	size_t n;

	json_array_foreach(names, n, name)
	{
		char path[4400], hex[SHA256_TEXT];

		if (path_print(
		        path, sizeof(path), "%s/%s.messages", dir, json_string_value(name)) == 0 &&
		    sha256_file(path, CONTROL_BYTES_MAX, hex) == 0)
			json_object_set_new(hashes, json_string_value(name), json_string(hex));
	}
	json_decref(names);
	return hashes;
}

static void hash_add(const struct record_job *record, json_t *hashes, const char *file)
{
	char path[4400], hex[SHA256_TEXT];

	if (path_print(path, sizeof(path), "%s/%s", record->dir, file) == 0 &&
	    sha256_file(path, CONTROL_BYTES_MAX, hex) == 0)
		json_object_set_new(hashes, file, json_string(hex));
}

/* What was missed is in the files of lapses: 0 if they are whole. */
static int lapses_end(
    const struct record_job *record, json_t *hashes, uint64_t missed, uint64_t end)
{
	struct recording recording = {
	    .dir = record->dir, .control = {.head = json_object(), .end = json_object()}};
	const char *name;
	json_t *names = lapses_names(record), *source;
	int rc;

	diag_init(&recording.diag);
	json_object_set_new(recording.control.head, "lapses", names);
	json_object_foreach(names, name, source)
	{
		char file[160];

		snprintf(file, sizeof(file), "%s.lapses", name);
		hash_add(record, hashes, file);
	}
	recording_lapses(&recording);
	diag_print(&recording.diag, stderr);
	rc = recording.diag.errors ? -EIO : 0;
	if (rc == 0 && recording.exact < end)
		fprintf(stderr,
		    "aloe: %s: what %s missed is known before index %llu only, so a replay ends "
		    "there\n",
		    record->dir, recording.exact_why, (unsigned long long)recording.exact);
	else if (rc == 0 && missed > 0)
		fprintf(stderr,
		    "aloe: slots skipped and messages missed inside the waveform: %llu; they are "
		    "recorded, and a replay repeats them\n",
		    (unsigned long long)missed);
	recording_close(&recording);
	return rc;
}

static json_t *sinks_hashes(const struct record_job *record)
{
	const struct wf_instance *instances = record->source.waveform->instances;
	json_t *hashes = json_object();

	for (size_t i = 0; i < record->sinks.len; i++) {
		const struct sink *sink = &record->sinks.items[i];

		if (sink->sha256[0] &&
		    !(sink->is_file && is_elsewhere(record, &instances[sink->instance])))
			json_object_set_new(hashes, sink->label, json_string(sink->sha256));
	}
	return hashes;
}

uint64_t record_missed(const json_t *report)
{
	static const char *const counts[] = {"absent", "overwritten", "lost"};
	const json_t *messages = json_object_get(report, "messages");
	double missed = report_number(json_object_get(report, "slots"), "skipped");

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		missed += report_number(messages, counts[i]);
	return strcmp(report_text(report, "late"), "skip") == 0 ? (uint64_t)missed : 0;
}

static int record_end(struct record_job *record, const json_t *report)
{
	const uint64_t missed = record_missed(report);
	const double lost = lost_count(report);
	json_t *hashes;
	int rc, status;

	if (lost > 0) {
		fprintf(stderr,
		    "aloe: %s: the recording is not whole, because %.0f message%s could not be "
		    "written (is the disk full?); the waveform lost nothing, and the recording "
		    "replays up to the last whole second before\n",
		    record->dir, lost, plural(lost));
		return CLI_FAILED;
	}
	rc = sinks_read(&record->sinks, record->source.waveform, record->dir, NULL);
	if (rc < 0) {
		fprintf(stderr, "aloe: %s: a digest of a sink is missing: %s\n", record->dir,
		    strerror(-rc));
		return CLI_FAILED;
	}
	status = describe_outputs(
	    record->dir, record->source.waveform, record->outputs, record->n_outputs);
	hashes = record_hashes(record->dir, outputs_names(record));
	if (status == CLI_OK &&
	    lapses_end(record, hashes, missed, (uint64_t)report_number(report, "index")) < 0)
		status = CLI_FAILED;
	if (status == CLI_OK)
		status = record_line(record->dir, false,
		    json_pack("{s:I, s:I, s:O, s:o}", "missed", (json_int_t)missed, "end",
		        (json_int_t)report_number(report, "index"), "recorded", hashes, "sinks",
		        sinks_hashes(record)));
	json_decref(hashes);
	return status;
}

/* What is recorded of each node where it runs would have to come here: lapses. Who begins anew
 * begins at index 0 again. */
static int nodes_refuse(const struct record_job *record)
{
	const struct waveform *waveform = record->source.waveform;

	if (!cli_has(record->args, "platform"))
		return CLI_OK;
	if (waveform_lapses(waveform))
		return cli_fail(record->args,
		    "--record with --platform: with late = \"skip\" or overrun = \"conceal\" each "
		    "node would keep what its instances missed, and the recording would not be in "
		    "one folder; record with --late slip and overrun = \"count\", or without "
		    "--platform");
	if (waveform->on_node_loss == WF_NODE_LOSS_RESTART)
		return cli_fail(record->args,
		    "--record with --platform: with on_node_loss = \"restart\" the waveform would "
		    "begin at index 0 again, and so would the recording; record with "
		    "on_node_loss = \"hold\" or \"stop\"");
	return CLI_OK;
}

static int record_all(struct record_job *record)
{
	json_t *report = NULL;
	int status = nodes_refuse(record), ended;

	if (status == CLI_OK)
		status = record_folder(record->args, "--record ", cli_get(record->args, "record"),
		    record->source.cwd, record->dir, sizeof(record->dir));
	if (status == CLI_OK)
		status = outputs_list(record);
	if (status == CLI_OK)
		status = texts_write(record);
	if (status != CLI_OK)
		return status;
	status = recorded_run(record, &report);
	if (report && report_ended(report)) {
		ended = record_end(record, report);
		if (ended == CLI_OK && !cli_has(record->args, "quiet"))
			fprintf(cli_has(record->args, "json") || standard_writes(&record->source)
			        ? stderr
			        : stdout,
			    "recorded   %s\n", record->dir);
		status = status == CLI_OK ? ended : status;
	}
	json_decref(report);
	return status;
}

int record_run(const struct cli_args *args)
{
	struct record_job *record = calloc(1, sizeof(*record));
	int status;

	if (!record)
		return CLI_FAILED;
	record->args = args;
	status = source_open(&record->source, args, args->args[0], false);
	if (status == CLI_OK)
		status = record_all(record);
	sinks_fini(&record->sinks);
	digesters_fini(&record->digesters);
	free(record->outputs);
	free(record->params);
	source_close(&record->source);
	free(record);
	return status;
}
