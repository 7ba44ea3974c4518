/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/diag.h"

enum { NAMES_MAX = 64 };

const struct cli_command *cli_find(const struct cli_program *program, const char *name)
{
	for (size_t i = 0; i < program->commands.len; i++)
		if (program->commands.items[i].name &&
		    !strcmp(program->commands.items[i].name, name))
			return &program->commands.items[i];
	return NULL;
}

static void fail_head(const struct cli_program *program, const struct cli_command *command)
{
	if (command && command->name)
		fprintf(stderr, "%s %s: ", program->name, command->name);
	else
		fprintf(stderr, "%s: ", program->name);
}

static void fail_tail(const struct cli_program *program, const struct cli_command *command)
{
	const bool sub = command && command->name;

	fprintf(stderr, "Try `%s%s%s --help`.\n", program->name, sub ? " " : "",
	    sub ? command->name : "");
}

int cli_fail(const struct cli_args *args, const char *format, ...)
{
	va_list list;

	fail_head(args->program, args->command);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	return CLI_USAGE;
}

static int unknown_command(const struct cli_program *program, const char *word)
{
	const char *names[NAMES_MAX];
	size_t n = 0;
	const char *nearest;

	for (; n < program->commands.len && n < NAMES_MAX; n++)
		names[n] = program->commands.items[n].name;
	nearest = diag_nearest(word, names, n);
	fprintf(stderr, "%s: there is no command `%s`", program->name, word);
	if (nearest)
		fprintf(stderr, "; did you mean `%s`?\n", nearest);
	else
		fprintf(stderr, "\n");
	fail_tail(program, NULL);
	return CLI_USAGE;
}

/* ---- options ------------------------------------------------------------------------ */

static const struct cli_option *option_in(
    const struct cli_options *options, const char *name, size_t len, char letter)
{
	for (size_t i = 0; i < options->len; i++) {
		const struct cli_option *option = &options->items[i];
		if (letter ? option->letter == letter
		           : strlen(option->name) == len && !memcmp(option->name, name, len))
			return option;
	}
	return NULL;
}

static const struct cli_option *option_find(
    const struct cli_args *args, const char *name, size_t len, char letter)
{
	const struct cli_option *option = option_in(&args->command->options, name, len, letter);

	return option ? option : option_in(&args->program->options, name, len, letter);
}

static int unknown_option(const struct cli_args *args, const char *word)
{
	const struct cli_options *const both[] = {&args->command->options, &args->program->options};
	const size_t len = strcspn(word, "=");
	const char *names[NAMES_MAX], *nearest = NULL;
	size_t n = 0;
	char *bare = strndup(word, len);

	for (size_t b = 0; b < 2; b++)
		for (size_t i = 0; i < both[b]->len && n < NAMES_MAX; i++)
			names[n++] = both[b]->items[i].name;
	if (bare && bare[0] == '-' && bare[1] == '-')
		nearest = diag_nearest(bare + 2, names, n);
	fail_head(args->program, args->command);
	fprintf(stderr, "there is no option `%s`", bare ? bare : word);
	if (nearest)
		fprintf(stderr, "; did you mean `--%s`?\n", nearest);
	else
		fprintf(stderr, "\n");
	fail_tail(args->program, args->command);
	free(bare);
	return -EINVAL;
}

static bool word_in(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; *at; at += strspn(at, " ")) {
		const size_t n = strcspn(at, " ");
		if (n == len && !memcmp(at, word, n))
			return true;
		at += n;
	}
	return false;
}

static int option_add(struct cli_args *args, const struct cli_option *option, const char *value)
{
	const bool checked = option->values && option->values[0] != '@';

	if (checked && !word_in(option->values, value)) {
		cli_fail(args, "--%s %s: the value must be one of: %s", option->name, value,
		    option->values);
		return -EINVAL;
	}
	if (!option->repeat && cli_has(args, option->name)) {
		cli_fail(args, "--%s is given twice", option->name);
		return -EINVAL;
	}
	args->given[args->n_given++] = (struct cli_given){option, value};
	return 0;
}

/* option_take reads the option at argv[0]; returns how many words it took, or -EINVAL. */
static int option_take(struct cli_args *args, int argc, char **argv)
{
	const char *word = argv[0], *value;
	const bool named = word[1] == '-';
	const size_t len = named ? strcspn(word + 2, "=") : 1;
	const struct cli_option *option = option_find(args, word + 2, len, named ? 0 : word[1]);
	int took = 1;

	if (!option)
		return unknown_option(args, word);
	value = word + (named ? 2 : 1) + len;
	if (!option->arg) {
		if (*value)
			return cli_fail(args, "--%s takes no value", option->name), -EINVAL;
	} else if (named && *value == '=') {
		value++;
	} else if (option->arg[0] != '[' && !*value) {
		if (argc < 2)
			return cli_fail(args, "--%s needs a value: %s", option->name, option->arg),
			       -EINVAL;
		value = argv[1];
		took = 2;
	}
	return option_add(args, option, value) < 0 ? -EINVAL : took;
}

const char *cli_nth(const struct cli_args *args, const char *name, size_t n)
{
	for (size_t i = 0; i < args->n_given; i++)
		if (!strcmp(args->given[i].option->name, name) && n-- == 0)
			return args->given[i].value;
	return NULL;
}

bool cli_has(const struct cli_args *args, const char *name)
{
	return cli_nth(args, name, 0) != NULL;
}

const char *cli_get(const struct cli_args *args, const char *name)
{
	const char *last = NULL;

	for (size_t i = 0; i < args->n_given; i++)
		if (!strcmp(args->given[i].option->name, name))
			last = args->given[i].value;
	return last;
}

int cli_whole(
    const struct cli_args *args, const char *name, uint64_t min, uint64_t max, uint64_t *ret)
{
	const char *text = cli_get(args, name);
	unsigned long long value;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)text[0]) || *end || errno || value < min || value > max) {
		cli_fail(args, "--%s %s: a whole number %" PRIu64 " .. %" PRIu64 " is needed", name,
		    text, min, max);
		return -EINVAL;
	}
	*ret = value;
	return 0;
}

int cli_real(const struct cli_args *args, const char *name, double min, double max, double *ret)
{
	const char *text = cli_get(args, name);
	char *end;
	double value;

	if (!text)
		return 0;
	value = strtod(text, &end);
	if (end == text || *end || !(value >= min && value <= max)) {
		cli_fail(args, "--%s %s: a number %g .. %g is needed", name, text, min, max);
		return -EINVAL;
	}
	*ret = value;
	return 0;
}

/* ---- parse and dispatch ---- */

static int args_parse(struct cli_args *args, int argc, char **argv)
{
	bool options = true;

	for (int i = 0; i < argc; i++) {
		int took = 1;
		if (options && !strcmp(argv[i], "--"))
			options = false;
		else if (options && argv[i][0] == '-' && argv[i][1])
			took = option_take(args, argc - i, argv + i);
		else
			args->args[args->n_args++] = argv[i];
		if (took < 0)
			return took;
		i += took - 1;
	}
	return 0;
}

static int args_check(const struct cli_args *args)
{
	const struct cli_command *c = args->command;
	const char *checked = c->complete && c->complete[0] != '@' ? c->complete : NULL;

	if (args->n_args < c->args_min) {
		cli_fail(args,
		    c->args_max > c->args_min ? "an argument is missing: %s" : "needs %s", c->args);
	} else if (args->n_args > c->args_max) {
		cli_fail(args,
		    c->args_max ? "`%s` is one argument too many; the arguments are %s"
		                : "`%s`: the command takes no argument%s",
		    args->args[c->args_max], c->args_max ? c->args : "");
	} else if (checked && args->n_args && !word_in(checked, args->args[0])) {
		cli_fail(args, "`%s` is unknown; allowed are: %s", args->args[0], checked);
	} else {
		return 0;
	}
	fail_tail(args->program, c);
	return -EINVAL;
}

static bool option_asked(int argc, char **argv, const char *name, const char *letter)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], name) || (letter && !strcmp(argv[i], letter)))
			return true;
	return false;
}

/* parse: nothing is run. */
static int command_run(const struct cli_program *program, const struct cli_command *command,
    int argc, char **argv, bool parse)
{
	struct cli_args args = {.program = program, .command = command};
	int status = CLI_USAGE;

	if (option_asked(argc, argv, "--help", "-h")) {
		cli_help(program, command->name ? command : NULL, stdout);
		return CLI_OK;
	}
	args.args = calloc((size_t)argc + 1, sizeof(*args.args));
	args.given = calloc((size_t)argc + 1, sizeof(*args.given));
	if (!args.args || !args.given)
		status = cli_fail(&args, "out of memory") - 1;
	else if (args_parse(&args, argc, argv) == 0 && args_check(&args) == 0)
		status = parse ? CLI_OK : command->run(&args);
	free(args.args);
	free(args.given);
	return status;
}

/* What every program answers before its own words; -1 if it was none of these. */
static int common_run(const struct cli_program *program, const char *word)
{
	if (!strcmp(word, "--version"))
		printf("%s %s\n", program->name, ALOE_VERSION);
	else if (!strcmp(word, "--man"))
		cli_man(program, stdout);
	else if (!strcmp(word, "--completion"))
		cli_completion(program, stdout);
	else
		return -1;
	return CLI_OK;
}

/* In place of this process, with the words that follow the first one; returns where that cannot
 * be. */
static int program_start(
    const struct cli_program *program, const struct cli_command *command, char **argv)
{
	char path[4096];
	int rc = child_path(command->program, path, sizeof(path));

	if (rc == 0) {
		argv[0] = path;
		execv(path, argv);
		rc = -errno;
	}
	fail_head(program, command);
	fprintf(stderr, "the program %s could not be started: %s; it belongs beside %s\n",
	    command->program, strerror(-rc), program->name);
	return CLI_FAILED;
}

static int program_run(const struct cli_program *program, int argc, char **argv)
{
	const struct cli_command *command = program->commands.items;
	const bool parse = argc > 0 && !strcmp(argv[0], "--parse");

	argc -= parse;
	argv += parse;
	if (!command->name)
		return command_run(program, command, argc, argv, parse);
	if (argc < 1) {
		cli_help(program, NULL, stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) {
		cli_help(program, NULL, stdout);
		return CLI_OK;
	}
	command = cli_find(program, argv[0]);
	if (!command)
		return unknown_command(program, argv[0]);
	if (!command->program)
		return command_run(program, command, argc - 1, argv + 1, parse);
	if (parse) /* the word goes on to the other program, in the place of the command */
		*argv-- = (char *)"--parse";
	return program_start(program, command, argv);
}

/* What was printed has arrived, or the command has failed: a disk may be full, a reader gone. The
 * cause of a failure in the middle is not kept by the C library: one more line, of an output that
 * is broken anyway, tells it. */
static int output_end(const struct cli_program *program, int status)
{
	const bool flushed = fflush(stdout) == 0;
	int error = flushed ? 0 : errno;

	if (flushed && !ferror(stdout))
		return status;
	if (flushed)
		error = write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
	fprintf(stderr, "%s: standard output: %s\n", program->name, strerror(error));
	return status == CLI_OK ? CLI_FAILED : status;
}

int cli_main(const struct cli_program *program, int argc, char **argv)
{
	int status;

	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is told in words */
	status = argc > 1 ? common_run(program, argv[1]) : -1;
	if (status < 0)
		status = program_run(program, argc > 0 ? argc - 1 : 0, argv + 1);
	return output_end(program, status);
}
