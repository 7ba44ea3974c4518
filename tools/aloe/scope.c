/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope: a signal as a picture, of an output of a running waveform or of a recording. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cli/term.h"
#include "core/plot/picture.h"
#include "core/plot/plot.h"
#include "core/sigmf/reader.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/scope.h"
#include "tools/aloe/tap.h"

enum { HEIGHT = 600 };

static const char *const modulations[] = {"none", "bpsk", "qpsk", "qam16", "qam64", NULL};
static const char *const formats[] = {"svg", "png"};

/* ---- options ---- */

static unsigned word_find(const char *word, const char *const *words, unsigned usual)
{
	for (unsigned i = 0; word && words[i]; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	return usual;
}

static int options_take(struct seen *seen)
{
	const struct cli_args *args = seen->args;
	const char *window = cli_get(args, "window");
	uint64_t fft = 0, symbol = 0;

	if (cli_whole(args, "samples", 1, SCOPE_SAMPLES_MAX, &seen->samples) < 0 ||
	    cli_whole(args, "skip", 0, UINT64_MAX >> 1, &seen->skip) < 0 ||
	    cli_whole(args, "fft", SCOPE_FFT_MIN, SCOPE_FFT_MAX, &fft) < 0 ||
	    cli_whole(args, "symbol", 2, SCOPE_SYMBOL_MAX, &symbol) < 0)
		return CLI_USAGE;
	if ((fft & (fft - 1)) != 0)
		return cli_fail(args, "--fft %s: a power of two is needed", cli_get(args, "fft"));
	if (scope_frequencies(seen) != CLI_OK) /* they are taken when the samples are there */
		return CLI_USAGE;
	seen->options = (struct scope_options){
	    .view = word_find(cli_get(args, "view"), scope_views, SCOPE_SPECTRUM),
	    .window = window && strcmp(window, "hann") == 0 ? SCOPE_HANN : SCOPE_FLATTOP,
	    .modulation = word_find(cli_get(args, "modulation"), modulations, SCOPE_NONE),
	    .fft = (uint32_t)fft,
	    .symbol = (uint32_t)symbol};
	if (seen->options.view == SCOPE_EYE && symbol == 0)
		return cli_fail(args, "--view eye needs --symbol N, the samples of a symbol");
	return CLI_OK;
}

/* ---- signals ---- */

static int samples_read(struct seen *seen, struct sigmf_reader *reader)
{
	const struct sigmf_meta *meta = sigmf_meta(reader);
	const struct sigmf_format *format = &sigmf_formats[meta->global.datatype];
	const uint64_t first = sigmf_first(reader), end = sigmf_end(reader),
	               left = end - first > seen->skip ? end - first - seen->skip : 0;
	const uint32_t n = (uint32_t)(left < seen->samples ? left : seen->samples);
	void *items = malloc((size_t)n * format->item_bytes + 1);
	uint32_t lost = 0;
	int status = CLI_FAILED, rc = items ? 0 : -ENOMEM;

	if (rc == 0 && n > 0)
		rc = sigmf_take(reader, first + seen->skip, n, items, &lost);
	if (rc < 0)
		fprintf(stderr, "aloe: %s: cannot be read: %s\n", seen->name, strerror(-rc));
	else
		status =
		    scope_signal(seen, format->item_type, items, (size_t)n * format->item_bytes);
	if (status == CLI_OK) {
		seen->lost = lost;
		seen->zeros = true;
		if (meta->global.sample_rate_hz > 0)
			seen->signal.rate_hz = meta->global.sample_rate_hz;
		if (meta->n_captures > 0 && isfinite(meta->captures[0].frequency_hz))
			seen->signal.centre_hz = meta->captures[0].frequency_hz;
	}
	free(items);
	return status;
}

static int recording_look(struct seen *seen)
{
	struct sigmf_reader *reader = NULL;
	struct diag diag;
	int rc, status = CLI_USAGE;

	diag_init(&diag);
	rc = sigmf_open(seen->name, false, &diag, &reader);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	if (rc == 0)
		status = samples_read(seen, reader);
	sigmf_close(reader);
	return status;
}

/* The rate follows from the largest message and the slot. */
static int output_look(struct seen *seen)
{
	struct tap_items items = {.bytes = NULL};
	struct client client;
	sigset_t none;
	int status = client_open(&client, seen->args);

	if (status != CLI_OK)
		return status;
	if (client_signals(&client) < 0)
		status = CLI_FAILED;
	if (status == CLI_OK)
		status = tap_items(&client, seen->args, seen->samples, &items);
	client_close(&client);
	sigemptyset(&none); /* Ctrl-C ends what draws, too */
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (status == CLI_OK)
		status = scope_signal(seen, items.type, items.bytes, items.len);
	if (status == CLI_OK) {
		seen->lost = items.lost + items.absent;
		if (seen->signal.n > seen->samples)
			seen->signal.n = seen->samples;
		if (items.slot_ns > 0)
			seen->signal.rate_hz = items.items_max * 1e9 / (double)items.slot_ns;
	}
	free(items.bytes);
	return status;
}

/* ---- pictures ---- */

static int terminal_draw(const struct scope_figure *figure, const char *title)
{
	unsigned rows, cols;

	term_size(STDOUT_FILENO, &rows, &cols);
	printf("%s\n", title);
	return scope_text(figure, cols - 1, rows > 2 ? rows - 2 : 0,
	           term_draws(STDOUT_FILENO) && term_colours(), stdout) < 0
	    ? CLI_FAILED
	    : CLI_OK;
}

struct titled {
	const struct scope_figure *figure;
	const char *title;
};

static void figure_write(const void *of, FILE *out)
{
	const struct titled *titled = of;

	scope_gnuplot(titled->figure, titled->title, out);
}

static int values_write(const struct scope_figure *figure, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int status = CLI_FAILED;

	if (!out)
		return CLI_FAILED;
	scope_csv(figure, out);
	if (fclose(out) == 0)
		status = picture_write("aloe", path, text, len);
	free(text);
	return status;
}

static int figure_show(const struct seen *seen, const struct scope_figure *figure)
{
	const struct cli_args *args = seen->args;
	const char *path = cli_get(args, "csv");
	bool drawn = path != NULL;
	char title[400];
	const struct titled titled = {figure, title};
	int status = CLI_OK;

	scope_title(seen, figure, title, sizeof(title));
	if (path)
		status = values_write(figure, path);
	for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		path = cli_get(args, formats[f]);
		drawn = drawn || path;
		if (path && status == CLI_OK)
			status = plot_gnuplot("aloe", path, formats[f], HEIGHT,
			    "--csv FILE needs no gnuplot", figure_write, &titled);
	}
	if (!drawn)
		return terminal_draw(figure, title);
	if (status == CLI_OK)
		fprintf(stderr, "%s\n", title);
	return status;
}

static int signal_show(struct seen *seen)
{
	struct scope_figure figure;
	char why[160];
	int status = scope_frequencies(seen), rc;

	if (status != CLI_OK)
		return status;
	rc = scope_look(&seen->signal, &seen->options, &figure, why, sizeof(why));
	if (rc < 0) {
		fprintf(stderr, "aloe: %s: %s\n", seen->name, why);
		return rc == -EINVAL ? CLI_USAGE : CLI_FAILED;
	}
	status = figure_show(seen, &figure);
	scope_figure_fini(&figure);
	return status;
}

/* Again and again, with keys: of what goes on, where somebody looks on. */
static bool is_live(const struct cli_args *args)
{
	return args->n_args == 2 && term_draws(STDOUT_FILENO) && !cli_has(args, "once") &&
	    !cli_has(args, "csv") && !cli_has(args, "svg") && !cli_has(args, "png");
}

int aloe_scope(const struct cli_args *args)
{
	struct seen seen = {.args = args, .name = args->args[args->n_args - 1], .samples = 65536};
	const char *png = cli_get(args, "png");
	int status = options_take(&seen);

	if (status != CLI_OK)
		return status;
	if (png && strcmp(png, "-") == 0 && isatty(STDOUT_FILENO))
		return cli_fail(args, "--png -: a picture is no text for a terminal; give a file");
	if (args->n_args == 2 && cli_has(args, "skip"))
		return cli_fail(args, "--skip goes with a recording");
	if (is_live(args)) {
		status = scope_live(&seen);
	} else {
		status = args->n_args == 2 ? output_look(&seen) : recording_look(&seen);
		if (status == CLI_OK)
			status = signal_show(&seen);
	}
	scope_signal_fini(&seen.signal);
	return status;
}
