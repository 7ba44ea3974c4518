/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The texts that follow from the tables: help, man page, bash completion. */
#include "core/cli/cli.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH = 96 };

/* option_title writes "-p, --param K=V". */
static void option_title(const struct cli_option *o, char *ret, size_t size)
{
	const char *const gap = o->arg ? " " : "", *const arg = o->arg ? o->arg : "";

	if (o->letter)
		snprintf(ret, size, "-%c, --%s%s%s", o->letter, o->name, gap, arg);
	else
		snprintf(ret, size, "--%s%s%s", o->name, gap, arg);
}

/* wrap prints text in paragraphs, indented; lines that begin with two spaces stay as they are. */
static void wrap(const char *text, int indent, int at, FILE *out)
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
				fprintf(out, "%.*s\n%*s", (int)line, text, indent, "");
				at = indent;
				text += line + (text[line] == '\n');
			}
		} else {
			text += strspn(text, " \n");
		}
	}
	fputc('\n', out);
}

static void options_help(const struct cli_options *options, FILE *out)
{
	char title[80];

	for (size_t i = 0; i < options->len; i++) {
		const struct cli_option *o = &options->items[i];
		option_title(o, title, sizeof(title));
		fprintf(out, "  %-26s ", title);
		if (strlen(title) > 26)
			fprintf(out, "\n%29s", "");
		wrap(o->help, 29, 29, out);
	}
}

static void command_help(const struct cli_program *program, const struct cli_command *c, FILE *out)
{
	const size_t n = c->options.len + program->options.len;

	fprintf(out, "usage: %s%s%s%s%s%s\n\n", program->name, c->name ? " " : "",
	    c->name ? c->name : "", n ? " [OPTION]..." : "", c->args[0] ? " " : "", c->args);
	wrap(c->summary, 0, 0, out);
	if (c->doc) {
		fputc('\n', out);
		wrap(c->doc, 0, 0, out);
	}
	if (n)
		fputc('\n', out);
	options_help(&c->options, out);
	options_help(&program->options, out);
}

static void program_help(const struct cli_program *program, FILE *out)
{
	fprintf(out, "%s - %s\n\nusage: %s COMMAND [ARGUMENT]... [OPTION]...\n\n", program->name,
	    program->summary, program->name);
	for (size_t i = 0; i < program->commands.len; i++) {
		const struct cli_command *c = &program->commands.items[i];
		fprintf(out, "  %-10s %-24s %s\n", c->name, c->args, c->summary);
	}
	if (program->options.len)
		fprintf(out, "\nall of them take\n");
	options_help(&program->options, out);
	fprintf(out, "\n`%s COMMAND --help` tells the options of one, `man %.*s` everything.\n",
	    program->name, (int)strcspn(program->name, " "), program->name);
}

void cli_help(const struct cli_program *program, const struct cli_command *command, FILE *out)
{
	if (!command && !program->commands.items[0].name)
		command = &program->commands.items[0];
	if (command && !command->group)
		command_help(program, command, out);
	else
		program_help(command ? command->group : program, out);
}

/* ---- man page --------------------------------------------------------------------------------------------------------- */

/* roff prints text with what troff would take for itself escaped; `name` also makes every minus a real one. */
static void roff(const char *text, FILE *out)
{
	bool start = true;

	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		start = *text == '\n';
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
}

/* Paragraphs; runs of lines that begin with two spaces become literal blocks. */
static void roff_text(const char *text, FILE *out)
{
	bool literal = false;
	char line[512];

	while (*text) {
		const size_t len = strcspn(text, "\n");
		const bool kept = !strncmp(text, "  ", 2);
		if (kept != literal)
			fputs(kept ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n.PP\n", out);
		literal = kept;
		snprintf(line, sizeof(line), "%.*s", (int)len, text + (kept ? 2 : 0));
		if (kept)
			line[len - 2] = 0;
		if (!len && !literal)
			fputs(".PP\n", out);
		roff(line, out);
		if (len)
			fputc('\n', out);
		text += len + (text[len] == '\n');
	}
	if (literal)
		fputs(".fi\n.RE\n", out);
}

static void roff_options(const struct cli_options *options, FILE *out)
{
	char title[80];

	for (size_t i = 0; i < options->len; i++) {
		option_title(&options->items[i], title, sizeof(title));
		fputs(".TP\n\\fB", out);
		roff(title, out);
		fputs("\\fR\n", out);
		roff_text(options->items[i].help, out);
	}
}

static void roff_command(const struct cli_program *program, const struct cli_command *c, FILE *out)
{
	fprintf(out, ".SS \"%s %s %s\"\n", program->name, c->name, c->args);
	roff_text(c->summary, out);
	fputs(".\n", out);
	if (c->doc) {
		fputs(".PP\n", out);
		roff_text(c->doc, out);
	}
	roff_options(c->group ? &c->group->options : &c->options, out);
	for (size_t i = 0; c->group && i < c->group->commands.len; i++)
		roff_command(c->group, &c->group->commands.items[i], out);
}

static void roff_title(const struct cli_program *program, FILE *out)
{
	fprintf(out, ".\\\" SPDX-License-Identifier: BSD-3-Clause\n.\\\" made by `%s --man`\n.TH ",
	    program->name);
	for (const char *c = program->name; *c; c++)
		fputc(toupper((unsigned char)*c), out);
	fprintf(out, " %d \"\" \"ALOE %s\" \"ALOE manual\"\n.SH NAME\n", program->section,
	    ALOE_VERSION);
	roff(program->name, out);
	fputs(" \\- ", out);
	roff(program->summary, out);
	fputs("\n.SH SYNOPSIS\n\\fB", out);
	roff(program->name, out);
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
	fputs(
	    ".TP\n\\fB\\-h, \\-\\-help\\fR\nTell the options.\n.TP\n\\fB\\-\\-version\\fR\nTell the version.\n",
	    out);
	fputs(
	    ".TP\n\\fB\\-\\-man\\fR, \\fB\\-\\-completion\\fR\nPrint this page, or the completion for bash.\n",
	    out);
	for (size_t i = 0; i < program->sections.len; i++) {
		fprintf(out, ".SH %s\n", program->sections.items[i].title);
		roff_text(program->sections.items[i].text, out);
	}
}

/* ---- bash completion -------------------------------------------------------------------------------------------------- */

static void complete_values(const char *values, FILE *out)
{
	if (!values)
		fputs("COMPREPLY=()", out);
	else if (!strcmp(values, "@file"))
		fputs("compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))", out);
	else if (!strcmp(values, "@dir"))
		fputs("compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))", out);
	else if (!strcmp(values, "@type"))
		fputs(
		    "COMPREPLY=($(compgen -W \"$(aloe list components --names 2>/dev/null)\" -- \"$cur\"))",
		    out);
	else if (!strcmp(values, "@waveform"))
		fputs("COMPREPLY=($(compgen -W \"$(aloe list --names 2>/dev/null)\" -- \"$cur\"))",
		    out);
	else
		fprintf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))", values);
}

static void complete_options(const struct cli_options *options, FILE *out)
{
	for (size_t i = 0; i < options->len; i++) {
		const struct cli_option *o = &options->items[i];
		if (!o->arg)
			continue;
		fputs("\t\t", out);
		if (o->letter)
			fprintf(out, "-%c | ", o->letter);
		fprintf(out, "--%s) ", o->name);
		complete_values(o->values, out);
		fputs("; return ;;\n", out);
	}
}

static void complete_names(const struct cli_options *options, FILE *out)
{
	for (size_t i = 0; i < options->len; i++)
		fprintf(out, "--%s ", options->items[i].name);
}

static void complete_program(const struct cli_program *program, int at, FILE *out);

/* The command that is word `at` of the line. */
static void complete_command(
    const struct cli_program *program, const struct cli_command *c, int at, FILE *out)
{
	fprintf(out, "\t%s)\n\t\t", c->name ? c->name : "*");
	if (c->group) {
		complete_program(c->group, at + 1, out);
		fputs("\t\t;;\n", out);
		return;
	}
	fputs("case $prev in\n", out);
	complete_options(&c->options, out);
	complete_options(&program->options, out);
	fputs("\t\tesac\n\t\tif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"", out);
	complete_names(&c->options, out);
	complete_names(&program->options, out);
	fputs("--help\" -- \"$cur\")); return; fi\n\t\t", out);
	complete_values(c->complete, out);
	fputs(" ;;\n", out);
}

static void complete_program(const struct cli_program *program, int at, FILE *out)
{
	if (program->commands.items[0].name) {
		fprintf(out, "\tif ((COMP_CWORD == %d)); then\n\t\tCOMPREPLY=($(compgen -W \"", at);
		for (size_t i = 0; i < program->commands.len; i++)
			fprintf(out, "%s ", program->commands.items[i].name);
		fprintf(out, "--help%s\" -- \"$cur\"))\n\t\treturn\n\tfi\n",
		    at == 1 ? " --version" : "");
	}
	fprintf(out, "\tcase ${COMP_WORDS[%d]} in\n", at);
	for (size_t i = 0; i < program->commands.len; i++)
		complete_command(program, &program->commands.items[i], at, out);
	fputs("\tesac\n", out);
}

void cli_completion(const struct cli_program *program, FILE *out)
{
	fprintf(out,
	    "# SPDX-License-Identifier: BSD-3-Clause\n# bash completion of %s, made by `%s --completion`\n",
	    program->name, program->name);
	fprintf(out,
	    "_%s() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n\tCOMPREPLY=()\n",
	    program->name);
	complete_program(program, 1, out);
	fprintf(out, "}\ncomplete -F _%s %s\n", program->name, program->name);
}
