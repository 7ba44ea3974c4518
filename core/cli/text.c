/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The texts that follow from the tables: help, man page, bash completion. */
#include "core/cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96 };

/* option_title prints "-p, --param K=V" and returns its length. */
static int option_title(const struct cli_option *o, FILE *out)
{
	const int letter = o->letter ? fprintf(out, "-%c, ", o->letter) : 0;

	return letter +
	    fprintf(out, "--%s%s%s", o->name, o->arg && o->arg[0] != '[' ? " " : "",
	        o->arg ? o->arg : "");
}

/* text_wrap prints text in paragraphs, indented; lines that begin with two spaces stay as they
 * are. */
static void text_wrap(const char *text, int indent, int at, FILE *out)
{
	while (*text) {
		const size_t len = strcspn(text, " \n");
		if (at > indent && at + 1 + (int)len > WIDTH)
			at = fprintf(out, "\n%*s", indent, "") - 1;
		else if (at > indent)
			at += fprintf(out, " ");
		at += fprintf(out, "%.*s", (int)len, text);
		text += len;
		if (!strncmp(text, "\n  ", 3) || !strncmp(text, "\n\n", 2)) {
			at = fprintf(out, "\n%*s", indent, "") - 1;
			text++;
			while (*text == '\n') {
				at = fprintf(out, "\n%*s", indent, "") - 1;
				text++;
			}
			while (!strncmp(text, "  ", 2)) {
				const size_t line = strcspn(text, "\n");
				fprintf(out, "%.*s", (int)line, text);
				at = indent;
				text += line + (text[line] == '\n');
				if (*text)
					fprintf(out, "\n%*s", indent, "");
			}
			if (*text == '\n')
				fprintf(out, "\n%*s", indent, "");
		} else {
			text += strspn(text, " \n");
		}
	}
	fputc('\n', out);
}

static void options_help(const struct cli_options *options, FILE *out)
{
	enum { TITLE = 26, INDENT = TITLE + 3 };

	for (size_t i = 0; i < options->len; i++) {
		int len;

		fputs("  ", out);
		len = option_title(&options->items[i], out);
		if (len > TITLE)
			fprintf(out, "\n%*s", INDENT, "");
		else
			fprintf(out, "%*s", INDENT - 2 - len, "");
		text_wrap(options->items[i].help, INDENT, INDENT, out);
	}
}

/* more_text: what follows the doc of a command; NULL: nothing. The caller frees it. */
static char *more_text(const struct cli_command *c)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = c->more ? open_memstream(&text, &len) : NULL;

	if (memory) {
		c->more(memory);
		fclose(memory);
	}
	return text;
}

static void command_help(const struct cli_program *program, const struct cli_command *c, FILE *out)
{
	const size_t n = c->options.len + program->options.len;
	char *more = more_text(c);

	fprintf(out, "usage: %s%s%s%s%s%s\n\n", program->name, c->name ? " " : "",
	    c->name ? c->name : "", n ? " [OPTION]..." : "", c->args[0] ? " " : "", c->args);
	text_wrap(c->summary, 0, 0, out);
	if (c->doc) {
		fputc('\n', out);
		text_wrap(c->doc, 0, 0, out);
	}
	if (more) {
		fputc('\n', out);
		text_wrap(more, 0, 0, out);
		free(more);
	}
	if (n)
		fputc('\n', out);
	options_help(&c->options, out);
	options_help(&program->options, out);
}

static void program_help(const struct cli_program *program, FILE *out)
{
	const struct cli_command *const items = program->commands.items;
	int name = 0, args = 0;

	fprintf(out, "%s - %s\n\nusage: %s COMMAND [ARGUMENT]... [OPTION]...\n\n", program->name,
	    program->summary, program->name);
	for (size_t i = 0; i < program->commands.len; i++) {
		name = (int)strlen(items[i].name) > name ? (int)strlen(items[i].name) : name;
		args = (int)strlen(items[i].args) > args ? (int)strlen(items[i].args) : args;
	}
	for (size_t i = 0; i < program->commands.len; i++)
		fprintf(out, "  %-*s %-*s %s\n", name, items[i].name, args, items[i].args,
		    items[i].summary);
	if (program->options.len)
		fprintf(out, "\nevery command also takes\n");
	options_help(&program->options, out);
	fprintf(out,
	    "\n`%s COMMAND --help` describes a command and its options; `man %s` "
	    "describes everything.\n",
	    program->name, program->name);
}

void cli_help(const struct cli_program *program, const struct cli_command *command, FILE *out)
{
	if (!command && !program->commands.items[0].name)
		command = &program->commands.items[0];
	if (command)
		command_help(program, command, out);
	else
		program_help(program, out);
}

/* ---- man page ------------------------------------------------------------------------ */

/* roff_line prints the first `len` bytes of a line with what troff would take for itself
 * escaped. */
static void roff_line(const char *text, size_t len, FILE *out)
{
	if (len > 0 && (*text == '.' || *text == '\''))
		fputs("\\&", out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\')
			fputs("\\e", out);
		else if (text[i] == '-')
			fputs("\\-", out);
		else
			fputc(text[i], out);
	}
}

static void roff_print(const char *line, FILE *out)
{
	roff_line(line, strlen(line), out);
}

/* Paragraphs; runs of lines that begin with two spaces become literal blocks. */
static void roff_text(const char *text, FILE *out)
{
	bool literal = false;

	while (*text) {
		const size_t len = strcspn(text, "\n");
		const bool kept = !strncmp(text, "  ", 2);
		const size_t indent = kept ? 2 : 0;

		if (kept != literal)
			fputs(kept ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n.PP\n", out);
		literal = kept;
		if (!len && !literal)
			fputs(".PP\n", out);
		roff_line(text + indent, len - indent, out);
		if (len)
			fputc('\n', out);
		text += len + (text[len] == '\n');
	}
	if (literal)
		fputs(".fi\n.RE\n", out);
}

static void roff_options(const struct cli_options *options, FILE *out)
{
	for (size_t i = 0; i < options->len; i++) {
		const struct cli_option *o = &options->items[i];

		fputs(".TP\n\\fB", out);
		if (o->letter)
			fprintf(out, "\\-%c, ", o->letter);
		fputs("\\-\\-", out);
		roff_print(o->name, out);
		if (o->arg) {
			if (o->arg[0] != '[')
				fputc(' ', out);
			roff_print(o->arg, out);
		}
		fputs("\\fR\n", out);
		roff_text(o->help, out);
	}
}

static void roff_command(const struct cli_program *program, const struct cli_command *c, FILE *out)
{
	char *more = more_text(c);

	fprintf(out, ".SS \"%s %s %s\"\n", program->name, c->name, c->args);
	roff_text(c->summary, out);
	fputs(".\n", out);
	if (c->doc) {
		fputs(".PP\n", out);
		roff_text(c->doc, out);
	}
	if (more) {
		fputs(".PP\n", out);
		roff_text(more, out);
		free(more);
	}
	roff_options(&c->options, out);
}

static void roff_title(const struct cli_program *program, FILE *out)
{
	fprintf(out, ".\\\" SPDX-License-Identifier: BSD-3-Clause\n.\\\" made by `%s --man`\n.TH ",
	    program->name);
	for (const char *c = program->name; *c; c++)
		fputc(toupper((unsigned char)*c), out);
	fprintf(out, " %d \"\" \"ALOE %s\" \"ALOE manual\"\n.SH NAME\n", program->section,
	    ALOE_VERSION);
	roff_print(program->name, out);
	fputs(" \\- ", out);
	roff_print(program->summary, out);
	fputs("\n.SH SYNOPSIS\n\\fB", out);
	roff_print(program->name, out);
	if (program->commands.items[0].name)
		fputs("\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n", out);
	else
		fprintf(out, "\\fR [\\fIOPTION\\fR]... %s\n", program->commands.items[0].args);
}

void cli_man(const struct cli_program *program, FILE *out)
{
	const bool subcommands = program->commands.items[0].name != NULL;

	roff_title(program, out);
	fputs(".SH DESCRIPTION\n", out);
	roff_text(program->doc, out);
	if (subcommands)
		fputs(".SH COMMANDS\n", out);
	for (size_t i = 0; subcommands && i < program->commands.len; i++)
		roff_command(program, &program->commands.items[i], out);
	fputs(".SH OPTIONS\n", out);
	if (!subcommands)
		roff_options(&program->commands.items[0].options, out);
	roff_options(&program->options, out);
	fputs(".TP\n\\fB\\-h, \\-\\-help\\fR\nPrint the "
	      "options.\n.TP\n\\fB\\-\\-version\\fR\nPrint the version.\n",
	    out);
	fputs(
	    ".TP\n\\fB\\-\\-parse\\fR\nAs the first word: check the words of the command line and "
	    "run nothing.\n",
	    out);
	fputs(".TP\n\\fB\\-\\-man\\fR, \\fB\\-\\-completion\\fR\nPrint this page, or the "
	      "completion for bash.\n",
	    out);
	for (size_t i = 0; i < program->sections.len; i++) {
		const struct cli_section *section = &program->sections.items[i];

		fprintf(out, ".SH %s\n", section->title);
		roff_text(section->text ? section->text : section->make(), out);
	}
}

/* ---- bash completion ------------------------------------------------------------------------ */

static void completion_values(const char *values, FILE *out)
{
	if (!values)
		fputs("COMPREPLY=()", out);
	else if (!strcmp(values, "@file"))
		fputs("compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))", out);
	else if (!strcmp(values, "@dir"))
		fputs("compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))", out);
	else if (!strcmp(values, "@type"))
		fputs("COMPREPLY=($(compgen -W \"$(aloe list components --names 2>/dev/null)\" -- "
		      "\"$cur\"))",
		    out);
	else if (!strcmp(values, "@waveform"))
		fputs("COMPREPLY=($(compgen -W \"$(aloe list --names 2>/dev/null)\" -- \"$cur\"))",
		    out);
	else
		fprintf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))", values);
}

static void completion_options(const struct cli_options *options, FILE *out)
{
	for (size_t i = 0; i < options->len; i++) {
		const struct cli_option *o = &options->items[i];
		if (!o->arg || o->arg[0] == '[') /* its value is no word of its own */
			continue;
		fputs("\t\t", out);
		if (o->letter)
			fprintf(out, "-%c | ", o->letter);
		fprintf(out, "--%s) ", o->name);
		completion_values(o->values, out);
		fputs("; return ;;\n", out);
	}
}

static void completion_names(const struct cli_options *options, FILE *out)
{
	for (size_t i = 0; i < options->len; i++)
		fprintf(out, "--%s ", options->items[i].name);
}

/* What the other program's own completion says, of the line without the word before it. */
static void completion_other(const char *program, FILE *out)
{
	fprintf(out,
	    "\t\tdeclare -F _%s >/dev/null || _completion_loader %s 2>/dev/null\n"
	    "\t\tCOMP_WORDS=(%s \"${COMP_WORDS[@]:2}\") COMP_CWORD=$((COMP_CWORD - 1))\n\t\t_%s "
	    "2>/dev/null ;;\n",
	    program, program, program, program);
}

static void completion_command(
    const struct cli_program *program, const struct cli_command *c, FILE *out)
{
	fprintf(out, "\t%s)\n", c->name ? c->name : "*");
	if (c->program) {
		completion_other(c->program, out);
		return;
	}
	fputs("\t\tcase $prev in\n", out);
	completion_options(&c->options, out);
	completion_options(&program->options, out);
	fputs("\t\tesac\n\t\tif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"", out);
	completion_names(&c->options, out);
	completion_names(&program->options, out);
	fputs("--help\" -- \"$cur\")); return; fi\n\t\t", out);
	completion_values(c->complete, out);
	fputs(" ;;\n", out);
}

static void completion_program(const struct cli_program *program, FILE *out)
{
	if (program->commands.items[0].name) {
		fputs("\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W \"", out);
		for (size_t i = 0; i < program->commands.len; i++)
			fprintf(out, "%s ", program->commands.items[i].name);
		fputs("--help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n", out);
	}
	fputs("\tcase ${COMP_WORDS[1]} in\n", out);
	for (size_t i = 0; i < program->commands.len; i++)
		completion_command(program, &program->commands.items[i], out);
	fputs("\tesac\n", out);
}

void cli_completion(const struct cli_program *program, FILE *out)
{
	fprintf(out,
	    "# SPDX-License-Identifier: BSD-3-Clause\n# bash completion of %s, made by `%s "
	    "--completion`\n",
	    program->name, program->name);
	fprintf(out,
	    "_%s() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
	    "prev=${COMP_WORDS[COMP_CWORD-1]}\n\tCOMPREPLY=()\n",
	    program->name);
	completion_program(program, out);
	fprintf(out, "}\ncomplete -F _%s %s\n", program->name, program->name);
}
