/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/cli/cli.h - a command line described once, in const tables.
 *
 *   table --> dispatch, checks, `--help`, the man page (`--man`) and bash completion
 *   (`--completion`)
 *
 * 	static const struct cli_option run_options[] = {
 * 		{"slots", 's', "N", NULL, false, "run indices 0 .. N-1, then end"},
 * 	};
 * 	static const struct cli_command commands[] = {
 *                 {"run", "FILE", 1, 1, "@file", "run a waveform here", NULL,
 *                 CLI_LIST(run_options), run_main},
 * 	};
 *         static const struct cli_program program = {.name = "aloe", .section = 1, ..., .commands =
 *         CLI_LIST(commands)}; int main(int argc, char **argv) { return cli_main(&program, argc,
 *         argv); }
 *
 * Options may stand anywhere, as --name VALUE, --name=VALUE, -n VALUE or -nVALUE; `--` ends them.
 * What is not known is answered with the nearest name that is, and exit status 2.
 */
#ifndef ALOE_CLI_H
#define ALOE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 }; /* exit status */

/* `values` of options and `complete` of commands: words separated by spaces, of which one must be
 * given ("timer virtual step"), or what bash is to complete, unchecked: "@file", "@dir", "@type"
 * (components), "@waveform" (loaded ones). */
struct cli_option {
	const char *name; /* without the dashes */
	char letter;      /* one-letter form, or 0 */
	/* what stands for the value in texts; in [ ]: the value may be left out, and is given as
	 * --name=VALUE alone; NULL: a switch without value */
	const char *arg;
	const char *values;
	bool repeat; /* may be given more than once */
	const char *help;
};

struct cli_options {
	const struct cli_option *items;
	size_t len;
};

struct cli_args;
struct cli_program;

struct cli_command {
	const char *name; /* NULL in a program without subcommands */
	const char *args; /* "FILE", "WF [VAR]"; "" if there are none */
	int args_min, args_max;
	const char *complete; /* the arguments; or NULL */
	const char *summary;  /* one line */
	/* paragraphs for the man page and --help, separated by empty lines; or NULL */
	const char *doc;
	struct cli_options options;
	int (*run)(const struct cli_args *args); /* returns the exit status */
	/* instead of options and run: a program of this installation that is given all words */
	const char *program;
	void (*more)(FILE *out); /* writes paragraphs that follow doc, from tables; or NULL */
};

struct cli_section { /* of the man page */
	const char *title;
	const char *text; /* paragraphs; lines that begin with two spaces are kept as they are */
	const char *(*make)(void); /* gives the text where `text` is NULL */
};

struct cli_program {
	const char *name;
	int section;                /* of the manual: 1 tools, 8 daemons */
	const char *summary;        /* one line */
	const char *doc;            /* paragraphs */
	struct cli_options options; /* that every command takes */
	struct {
		const struct cli_command *items;
		size_t len;
	} commands;
	struct {
		const struct cli_section *items;
		size_t len;
	} sections;
};

#define CLI_LIST(array)                                                                            \
	{                                                                                          \
		array, sizeof(array) / sizeof((array)[0])                                          \
	}

struct cli_given {
	const struct cli_option *option;
	const char *value; /* "" of a switch */
};

struct cli_args { /* as parsed and checked; points into argv */
	const struct cli_program *program;
	const struct cli_command *command;
	const char **args;
	int n_args;
	struct cli_given *given;
	size_t n_given;
};

/* cli_main parses, checks, answers --help, --version, --man and --completion itself, and runs the
 * command; after `--parse` as the first word nothing is run. What cannot be written to standard
 * output makes it fail, with the cause. */
int cli_main(const struct cli_program *program, int argc, char **argv);

/* cli_get gives the value of an option (the last, if repeated), NULL if not given; "" of a
 * switch. */
const char *cli_get(const struct cli_args *args, const char *name);
bool cli_has(const struct cli_args *args, const char *name);
/* cli_nth gives the nth value of a repeated option, NULL past the last. */
const char *cli_nth(const struct cli_args *args, const char *name, size_t n);
/* cli_whole reads a whole number: 0 and *ret untouched if not given; -EINVAL after printing what is
 * allowed. */
int cli_whole(
    const struct cli_args *args, const char *name, uint64_t min, uint64_t max, uint64_t *ret);
int cli_real(const struct cli_args *args, const char *name, double min, double max, double *ret);

/* cli_fail prints "PROGRAM COMMAND: text" and returns CLI_USAGE, for what the tables cannot say. */
__attribute__((format(printf, 2, 3))) int cli_fail(
    const struct cli_args *args, const char *format, ...);

/* The texts. */
/* NULL: of them all */
void cli_help(const struct cli_program *program, const struct cli_command *command, FILE *out);
void cli_man(const struct cli_program *program, FILE *out);
void cli_completion(const struct cli_program *program, FILE *out);
const struct cli_command *cli_find(const struct cli_program *program, const char *name);

#endif
