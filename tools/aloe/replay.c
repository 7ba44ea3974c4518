/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe replay DIR: the recorded waveform, with players in the place of what came from outside, and
 * the same changes at the same indices. */
#include "tools/aloe/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/aloe/agree.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/digests.h"
#include "tools/aloe/nodes.h"
#include "tools/aloe/record.h"
#include "tools/aloe/run.h"
#include "tools/aloe/sinks.h"
#include "tools/aloe/source.h"

enum { PARAMS = 4400, FOLDER = 64 };

struct replay {
	const struct cli_args *args;
	struct recording recording;
	struct source source;
	struct sinks sinks;
	struct wf_graft *players;
	char (*params)[PARAMS];
	size_t n_players;
	struct digesters digesters; /* none without --compare, nor in `recorded` */
	struct digests recorded;
	bool *left_out;
	bool on_nodes; /* instances are on the nodes that the waveform names */
	char folder[FOLDER];
	char slots[24];
	char dir[4096];
};

/* ---- the waveform -------------------------------------------------------------------------- */

static const struct message_table *table_find(const struct replay *replay, const char *name)
{
	const json_t *names = json_object_get(replay->recording.control.head, "outputs");

	for (size_t i = 0; i < replay->recording.n_tables; i++)
		if (strcmp(json_string_value(json_array_get(names, i)), name) == 0)
			return &replay->recording.tables[i];
	return NULL;
}

/* Under skip the last messages may have been missed; then the run ends by its number of indices. */
static bool has_lapses(const struct replay *replay)
{
	return json_object_size(json_object_get(replay->recording.control.head, "lapses")) > 0;
}

static int player_add(struct replay *replay, int i, int port)
{
	const struct wf_instance *instance = &replay->source.waveform->instances[i];
	struct wf_graft *player = &replay->players[replay->n_players];
	char *params = replay->params[replay->n_players], name[160];
	const struct message_table *table;

	snprintf(name, sizeof(name), "%s.%s", instance->name, wf_output_name(instance, port));
	table = table_find(replay, name);
	if (!table) {
		fprintf(stderr,
		    "%s/control.jsonl: %s is not among the outputs that were recorded\n",
		    replay->dir, name);
		return CLI_USAGE;
	}
	*player = (struct wf_graft){
	    .instance = i, .port = port, .component = "player", .params = params, .replaces = true};
	wf_graft_name(replay->source.waveform, "in", player);
	snprintf(params, PARAMS, "path = \"%s/%s\"; type = \"%s\"; length = %u;%s", replay->dir,
	    name, table->type, table->max, has_lapses(replay) ? " endless = true;" : "");
	replay->n_players++;
	return CLI_OK;
}

static int players_list(struct replay *replay)
{
	const struct waveform *waveform = replay->source.waveform;
	int status = CLI_OK;

	replay->players = calloc(waveform->n_links + 1, sizeof(*replay->players));
	replay->params = calloc(waveform->n_links + 1, sizeof(*replay->params));
	replay->left_out = calloc(waveform->n_instances + 1, sizeof(*replay->left_out));
	if (!replay->players || !replay->params || !replay->left_out)
		return CLI_FAILED;
	for (size_t i = 0; i < waveform->n_instances && status == CLI_OK; i++) {
		const struct wf_instance *instance = &waveform->instances[i];

		replay->left_out[i] = record_is_outside(instance) || record_is_radio(instance);
		for (uint32_t p = 0; p < instance->n_out && status == CLI_OK; p++)
			if (replay->left_out[i] && instance->out[p].link >= 0)
				status = player_add(replay, (int)i, (int)p);
	}
	if (status == CLI_OK && sinks_list(waveform, &replay->sinks) < 0)
		status = CLI_FAILED;
	return status;
}

static int text_write(struct replay *replay, char *ret_path, size_t size)
{
	struct wf_graft *grafts =
	    digesters_join(&replay->digesters, replay->players, replay->n_players);
	const struct wf_print print = {.grafts = grafts,
	    .n_grafts = replay->n_players + replay->digesters.n,
	    .left_out = replay->left_out,
	    .sinks_in = replay->folder,
	    .clock = "virtual",
	    .anywhere = true,
	    .on_nodes = replay->on_nodes};
	char *text = grafts
	    ? sinks_print(&replay->sinks, replay->source.waveform, &print, replay->folder)
	    : NULL;
	int rc = path_print(ret_path, size, "%s/waveform.conf", replay->folder);

	if (rc == 0)
		rc = text ? file_write(ret_path, text, strlen(text)) : -ENOMEM;
	free(grafts);
	free(text);
	return rc;
}

/* ---- the run ------------------------------------------------------------------------------- */

static int replay_run(struct replay *replay, const char *conf, json_t **ret_report)
{
	static const struct cli_option slots = {.name = "slots"}, lapses = {.name = "replay"};
	struct replay_sets sets = {.sets = replay->recording.control.sets,
	    .waveform = replay->source.waveform,
	    .left_out = replay->left_out,
	    .slots = replay->recording.slots};
	const struct run_hook hook = {replay_sets_send, &sets};
	struct cli_args args = *replay->args;
	struct cli_given *given = calloc(args.n_given + 2, sizeof(*given));
	const char *file[] = {conf};
	int status = CLI_FAILED;

	snprintf(replay->slots, sizeof(replay->slots), "%llu",
	    (unsigned long long)replay->recording.slots);
	if (given) {
		if (args.n_given)
			memcpy(given, args.given, args.n_given * sizeof(*given));
		given[args.n_given++] =
		    (struct cli_given){.option = &slots, .value = replay->slots};
		if (has_lapses(replay))
			given[args.n_given++] =
			    (struct cli_given){.option = &lapses, .value = replay->dir};
		args.given = given;
		args.args = file;
		status = run_waveform(&args, &hook, ret_report);
	}
	free(given);
	return status;
}

/* ---- afterwards ---------------------------------------------------------------------------- */

static unsigned sinks_print_table(const struct replay *replay, FILE *out)
{
	const json_t *were = replay->recording.partly
	    ? NULL
	    : json_object_get(replay->recording.control.end, "sinks");
	unsigned differ = 0;

	fprintf(out, "%-24s %-9s  %-64s\n", "sink", "", "SHA-256 of the replay");
	for (size_t i = 0; i < replay->sinks.len; i++) {
		const struct sink *sink = &replay->sinks.items[i];
		const char *was = json_string_value(json_object_get(were, sink->label));
		const bool same = was && strcmp(was, sink->sha256) == 0;

		/* a sink that needs a radio writes no file here */
		if (!sink->sha256[0] || (sink->is_file && replay->left_out[sink->instance]))
			continue;
		differ += was && !same;
		fprintf(out, "%-24s %-9s  %s  %s\n", sink->label,
		    sink->is_file ? "file" : "messages", sink->sha256,
		    same      ? "same"
		        : was ? "DIFFERS"
		              : "not recorded");
		if (was && !same)
			fprintf(out, "%-24s %-9s  %s\n", "", "recorded", was);
	}
	return differ;
}

/* The digests of one of both runs: 0, or negative after printing what is wrong. */
static int digests_open(
    const struct replay *replay, const char *dir, bool whole, struct digests *ret)
{
	const json_t *names = json_object_get(replay->recording.control.head, "digests");
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = names ? digests_read(dir, names, whole, &diag, ret)
	           : diag_error(&diag, dir, 0,
	                 "--compare: the recording has no digests; record it with `aloe run FILE "
	                 "--record DIR --digests`");
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return rc;
}

/* -1: the digests of the replay cannot be read; else how many outputs differ. */
static int digests_compared(const struct replay *replay, FILE *out)
{
	static const char *const label[] = {"recorded", "replayed"};
	const struct recording *recording = &replay->recording;
	struct digests run[] = {replay->recorded, {0}};
	int differ = -1;

	if (digests_open(replay, replay->folder, true, &run[1]) < 0)
		differ = -1;
	else if (recording->live)
		differ = (int)agree_judge(run, recording->control.from, recording->slots, out);
	else
		differ = (int)digests_judge(run, label, out);
	digests_close(&run[1]);
	return differ;
}

static int replay_judge(struct replay *replay)
{
	FILE *out = cli_has(replay->args, "quiet") ? NULL
	    : cli_has(replay->args, "json")        ? stderr
	                                           : stdout;
	unsigned differ = 0;
	int outputs = 0;
	int rc =
	    sinks_read(&replay->sinks, replay->source.waveform, replay->folder, replay->folder);

	if (rc < 0) {
		fprintf(stderr, "aloe: a digest of a sink is missing: %s\n", strerror(-rc));
		return CLI_FAILED;
	}
	if (!out)
		out = fopen("/dev/null", "we");
	if (out && !replay->recording.live)
		differ = sinks_print_table(replay, out);
	if (out && replay->digesters.n)
		outputs = digests_compared(replay, out);
	if (differ || outputs > 0)
		fprintf(stderr, "aloe: the replay is not the same as the recording\n");
	return differ || outputs ? CLI_FAILED : CLI_OK;
}

/* On the nodes of a platform: lapses lie in a folder that only this machine has, and a waveform of
 * several nodes takes no steps, between which more changes could be sent. */
static int nodes_prepare(struct replay *replay)
{
	const size_t sets = json_array_size(replay->recording.control.sets);
	int has;

	if (!cli_has(replay->args, "platform"))
		return CLI_OK;
	if (has_lapses(replay))
		return cli_fail(replay->args,
		    "--platform: %s has what instances missed (late = \"skip\" or overrun = "
		    "\"conceal\"), which is repeated on one node only; leave --platform out",
		    replay->dir);
	if (sets > REPLAY_SETS_MAX)
		return cli_fail(replay->args,
		    "--platform: %s has more changes of parameters than the %d that a waveform on "
		    "several nodes takes before it starts; leave --platform out",
		    replay->dir, REPLAY_SETS_MAX);
	has = nodes_have(replay->args, replay->source.waveform);
	if (has == 0)
		fprintf(stderr,
		    "aloe: %s names nodes that the platform does not have; the plan chooses the "
		    "nodes of all instances\n",
		    replay->dir);
	replay->on_nodes = has > 0;
	return has < 0 ? CLI_USAGE : CLI_OK;
}

/* A recording that began while the waveform ran has digests of what sinks read, and no other. */
static bool digests_wanted(const struct replay *replay)
{
	return replay->recording.live || cli_has(replay->args, "compare");
}

static void begin_print(const struct replay *replay)
{
	const unsigned long long from = replay->recording.control.from;

	if (cli_has(replay->args, "quiet") || from == 0)
		return;
	fprintf(stderr,
	    "recorded from index %llu on; the replay begins with fresh state at index 0, and until "
	    "index %llu what came from outside is ABSENT\n",
	    from, from);
}

static int replay_all(struct replay *replay)
{
	json_t *report = NULL;
	char conf[FOLDER + 32];
	int status = nodes_prepare(replay), rc;

	if (status == CLI_OK)
		status = players_list(replay);
	if (status != CLI_OK)
		return status;
	snprintf(replay->folder, sizeof(replay->folder), "/tmp/aloe-replay-XXXXXX");
	if (!mkdtemp(replay->folder)) {
		fprintf(stderr, "aloe: %s: %s\n", replay->folder, strerror(errno));
		return CLI_FAILED;
	}
	rc = digests_wanted(replay)
	    ? digesters_list(replay->source.waveform, replay->folder, &replay->digesters)
	    : 0;
	if (replay->recording.live) {
		digesters_only(&replay->digesters, replay->source.waveform, replay->recorded.names);
		begin_print(replay);
	}
	if (rc == 0)
		rc = text_write(replay, conf, sizeof(conf));
	if (rc < 0)
		fprintf(stderr, "aloe: %s: %s\n", replay->folder, strerror(-rc));
	status = rc < 0 ? CLI_FAILED : replay_run(replay, conf, &report);
	if (status == CLI_OK)
		status = replay_judge(replay);
	json_decref(report);
	folder_remove(replay->folder);
	return status;
}

int aloe_replay(const struct cli_args *args)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	char conf[4200];
	int status = CLI_USAGE;

	if (nodes_check(args)) {
		free(replay);
		return CLI_USAGE;
	}
	if (!replay)
		return CLI_FAILED;
	replay->args = args;
	if (!realpath(args->args[0], replay->dir)) {
		fprintf(stderr, "aloe: %s: %s\n", args->args[0], strerror(errno));
		free(replay);
		return CLI_USAGE;
	}
	if (recording_open(replay->dir, &replay->recording) == 0 &&
	    (!digests_wanted(replay) ||
	        digests_open(replay, replay->dir, replay->recording.control.end != NULL,
	            &replay->recorded) == 0) &&
	    path_print(conf, sizeof(conf), "%s/waveform.conf", replay->dir) == 0) {
		const struct cli_args plain = {.program = args->program, .command = args->command};

		status = source_open(&replay->source, &plain, conf, false);
		if (status == CLI_OK)
			status = replay_all(replay);
		sinks_fini(&replay->sinks);
		source_close(&replay->source);
	}
	digests_close(&replay->recorded);
	digesters_fini(&replay->digesters);
	recording_close(&replay->recording);
	free(replay->players);
	free(replay->params);
	free(replay->left_out);
	free(replay);
	return status;
}
