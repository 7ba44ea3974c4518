/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command line says of a contest, and the programs of the peers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "tools/bench/contest.h"
#include "tools/bench/figures.h"

/* ---- peers ------------------------------------------------------------------------ */

const struct contest_setup contest_gnuradio[CONTEST_GNURADIO_PACED] = {
    {"normal", 0, false, ""},
    {"normal, pinned", 0, false, "pin=1"},
    {"normal, one core", 0, false, "cpus=1"},
    {"FIFO", 0, false, "fifo=1"},
    {"FIFO, pinned", 0, false, "fifo=1 pin=1"},
    {"FIFO, one core", 0, false, "fifo=1 cpus=1"},
    {"FIFO, awake", 0, false, "fifo=1 wake=1"},
    {"FIFO, one core, awake", 0, false, "fifo=1 cpus=1 wake=1"},
};

/* They lie beside the folder of the programs, in a build: nobody installs them. */
static int program_path(const char *name, int mode, char *ret_path, size_t size)
{
	char own[4096];
	int rc = child_path("aloe", own, sizeof(own));

	if (rc == 0 && strrchr(own, '/'))
		*strrchr(own, '/') = 0;
	rc = rc < 0 ? rc : path_print(ret_path, size, "%s/../peers/%s", own, name);
	return rc < 0 ? rc : access(ret_path, mode) < 0 ? -errno : 0;
}

static int program_find(const char *name, char *ret_path, size_t size)
{
	return program_path(name, X_OK, ret_path, size);
}

void peer_built(const char *program, char *ret, size_t size)
{
	char path[4096], name[64];
	FILE *file;

	ret[0] = 0;
	snprintf(name, sizeof(name), "%s.built", program);
	file = program_path(name, R_OK, path, sizeof(path)) == 0 ? fopen(path, "re") : NULL;
	if (file && !fgets(ret, (int)size, file))
		ret[0] = 0;
	ret[strcspn(ret, "\n")] = 0;
	if (file)
		fclose(file);
}

void contest_words(struct words *words, const char *keys)
{
	while (*keys) {
		const size_t len = strcspn(keys, " ");

		words_add(words, "%.*s", (int)len, keys);
		keys += len + (keys[len] == ' ');
	}
}

int peer_run(struct bench *bench, const struct contest_system *system, struct words *words,
    const char *what, json_t **ret_report)
{
	char path[4096], *errors = NULL;
	int status;

	if (program_find(system->program, path, sizeof(path)) < 0)
		return CLI_FAILED;
	words->program = path;
	status = run_only(bench, words, SIMD_PLAIN, what, ret_report, &errors);
	if (!bench->interrupts && (status != CLI_OK || !*ret_report)) {
		fprintf(
		    stderr, "%s%s has ended with status %d\n", errors ? errors : "", what, status);
		status = CLI_FAILED;
	}
	free(errors);
	return bench->interrupts ? BENCH_INTERRUPTED : status;
}

/* Its first word: there may be several of one peer, which then all take part. */
static bool is_named(const struct contest_system *known, const char *name, size_t len)
{
	return strncmp(known->name, name, len) == 0 &&
	    (known->name[len] == 0 || known->name[len] == ' ');
}

static int peer_add(struct contest *contest, const struct contest_system *known, size_t n,
    const char *name, size_t len)
{
	const char *second =
	    n > 1 && strcmp(known[0].program, known[1].program) != 0 ? known[1].name : "";
	char path[4096];
	bool found = false;

	for (size_t i = 0; i < contest->n_systems; i++)
		if (contest->systems[i].program && is_named(&contest->systems[i], name, len))
			return cli_fail(
			    contest->bench->args, "--vs: %.*s appears twice", (int)len, name);
	for (size_t i = 0; i < n && contest->n_systems < CONTEST_SYSTEMS_MAX; i++) {
		if (len == 0 || !is_named(&known[i], name, len))
			continue;
		if (program_find(known[i].program, path, sizeof(path)) < 0)
			return cli_fail(contest->bench->args,
			    "--vs %.*s: this peer was not built; `make bench-peers` in the source "
			    "builds the peers",
			    (int)len, name);
		contest->systems[contest->n_systems++] = known[i];
		found = true;
	}
	return found ? CLI_OK
	             : cli_fail(contest->bench->args, "--vs %.*s is unknown; allowed: %s%s%s",
	                   (int)len, name, known[0].name, second[0] ? " and " : "", second);
}

/* Each set-up of each system by itself, in the same order. */
static int all_take_part(struct contest *contest)
{
	struct contest_system systems[CONTEST_SYSTEMS_MAX];
	const size_t before = contest->n_systems;
	size_t n = 0;

	memcpy(systems, contest->systems, sizeof(systems));
	for (size_t i = 0; i < before; i++)
		for (size_t s = 0; s < systems[i].n_setups; s++) {
			struct contest_system *one = &contest->systems[n];

			if (n++ == CONTEST_SYSTEMS_MAX)
				return cli_fail(contest->bench->args,
				    "--all: the systems have more than %d set-ups together",
				    (int)CONTEST_SYSTEMS_MAX);
			*one = systems[i];
			one->setups = &systems[i].setups[s];
			one->n_setups = 1;
			one->beside = true;
			snprintf(one->name, sizeof(one->name), "%.20s, %.24s", systems[i].name,
			    systems[i].setups[s].name);
		}
	contest->n_systems = n;
	return CLI_OK;
}

int contest_peers(struct contest *contest, const struct contest_system *known, size_t n)
{
	const char *text = cli_get(contest->bench->args, "vs");
	int status = CLI_OK;

	while (text && status == CLI_OK) {
		const size_t len = strcspn(text, ",");
		if (contest->n_systems == CONTEST_SYSTEMS_MAX)
			return CLI_USAGE;
		status = peer_add(contest, known, n, text, len);
		text = text[len] ? text + len + 1 : NULL;
	}
	contest->all = cli_has(contest->bench->args, "all");
	return status == CLI_OK && contest->all ? all_take_part(contest) : status;
}

/* ---- sizes and runs ------------------------------------------------------------------------ */

int contest_sizes(struct contest *contest, const char *otherwise)
{
	const char *text = cli_get(contest->bench->args, "sizes");
	double sizes[CONTEST_SIZES_MAX];
	const int n = list_parse(text ? text : otherwise, 1, 64, CONTEST_SIZES_MAX, sizes);

	for (int i = 0; i < n; i++)
		if (sizes[i] != floor(sizes[i]))
			return cli_fail(
			    contest->bench->args, "--sizes %s: whole numbers are needed", text);
	if (n < 0)
		return cli_fail(contest->bench->args,
		    "--sizes %s: at most %d different numbers 1 .. 64 are needed", text,
		    (int)CONTEST_SIZES_MAX);
	for (int i = 0; i < n; i++)
		contest->sizes[i] = (struct contest_size){(unsigned)sizes[i], (unsigned)sizes[i]};
	contest->n_sizes = (size_t)n;
	contest->pipes = true;
	return CLI_OK;
}

int contest_options(struct contest *contest)
{
	const struct cli_args *args = contest->bench->args;

	contest->runs = 20;
	contest->trials = 5;
	contest->seed = 1;
	if (cli_whole(args, "runs", 1, CONTEST_RUNS_MAX, &contest->runs) < 0 ||
	    cli_whole(args, "trials", 1, 100, &contest->trials) < 0 ||
	    cli_whole(args, "seed", 0, 1u << 31, &contest->seed) < 0)
		return CLI_USAGE;
	return CLI_OK;
}
