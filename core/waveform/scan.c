/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/scan.h"
#include "core/base/name_map.h"
#include "core/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct scope { /* an open bracket, or the file */
	char close;
	int line;
	struct name_map names; /* with their lines; empty when the bracket is closed */
	bool cut;              /* the group `instances` */
	/* in a list: the line on which its last value ended; 0: a comma has followed, or there
	 * is none */
	int ended;
};

struct scan {
	const char *file, *at, *end;
	int line;
	bool value; /* what comes is a value: = or : was the token before */
	struct diag *diag;
	FILE *out;
	struct scope scopes[SCAN_DEPTH_MAX + 1];
	int depth;
	bool parts;     /* as wf_scan */
	bool instances; /* the name that came last in the file's own scope */
	unsigned twice, more;
	unsigned newlines; /* to be put before the next token */
	unsigned mended;   /* errors so far after which the scan went on */
};

static int line_refuse(struct scan *scan, int line, const char *what)
{
	return diag_error(scan->diag, scan->file, line, "%s", what);
}

/* An error has been said after which the scan goes on, unless there were too many. */
static int error_mended(struct scan *scan)
{
	if (++scan->mended < SCAN_ERRORS_MAX)
		return 0;
	return diag_error(scan->diag, scan->file, 0,
	    "%d errors; the rest of the file was not checked", SCAN_ERRORS_MAX);
}

/* ---- bytes ------------------------------------------------------------------------ */

/* How many bytes the character at `c` takes; 0 if it is not UTF-8. */
static size_t utf8_len(const unsigned char *c, size_t left)
{
	const size_t len = c[0] < 0x80 ? 1
	    : c[0] < 0xc2              ? 0
	    : c[0] < 0xe0              ? 2
	    : c[0] < 0xf0              ? 3
	    : c[0] < 0xf5              ? 4
	                               : 0;

	if (len == 0 || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	return len;
}

static int bytes_check(const char *file, const char *text, size_t len, struct diag *diag)
{
	int line = 1;

	if (len > SCAN_BYTES_MAX)
		return diag_error(diag, file, 1, "the file has %zu byte%s; at most %d are allowed",
		    len, plural(len), SCAN_BYTES_MAX);
	for (size_t i = 0, step; i < len; i += step) {
		const unsigned char *c = (const unsigned char *)text + i;

		step = utf8_len(c, len - i);
		line += *c == '\n';
		if (step == 0)
			return diag_error(diag, file, line,
			    "byte 0x%02x is not UTF-8; only UTF-8 text is allowed", *c);
		if (*c < ' ' && !strchr("\t\n\r\f", *c | (*c == 0)))
			return diag_error(diag, file, line,
			    "byte 0x%02x is a control character; only UTF-8 text is allowed", *c);
	}
	return 0;
}

/* ---- tokens ------------------------------------------------------------------------ */

/* libconfig gives a value the line of the token behind it: what ends a value stands on the value's
 * line, so that the newlines between them come after it. */
static FILE *emit_at(struct scan *scan, bool ends_value)
{
	for (; !ends_value && scan->newlines > 0; scan->newlines--)
		fputc('\n', scan->out);
	return scan->out;
}

static void token_emit(struct scan *scan, const char *text, size_t len)
{
	fwrite(text, 1, len, emit_at(scan, len == 1 && strchr(",;)", *text)));
}

static bool next_is(const struct scan *scan, const char *word)
{
	const size_t len = strlen(word);

	return (size_t)(scan->end - scan->at) >= len && memcmp(scan->at, word, len) == 0;
}

/* Comments leave their newlines, so that lines keep their numbers. */
static int comment_skip(struct scan *scan)
{
	const int first = scan->line;
	const bool block = next_is(scan, "/*");

	while (scan->at < scan->end && (block || *scan->at != '\n')) {
		if (block && scan->at[0] == '*' && scan->end - scan->at > 1 && scan->at[1] == '/') {
			scan->at += 2;
			fputc(' ', scan->out);
			return 0;
		}
		if (*scan->at++ == '\n') {
			scan->line++;
			scan->newlines++;
		}
	}
	return block
	    ? line_refuse(scan, first, "the comment that begins here has no end; */ is needed")
	    : 0;
}

static int string_copy(struct scan *scan)
{
	const char *start = scan->at++;

	while (scan->at < scan->end && *scan->at != '"' && *scan->at != '\n')
		scan->at +=
		    *scan->at == '\\' && scan->end - scan->at > 1 && scan->at[1] != '\n' ? 2 : 1;
	if (scan->at >= scan->end || *scan->at == '\n')
		return line_refuse(scan, scan->line,
		    "the text that begins here has no end on this line; \" is needed");
	scan->at++;
	token_emit(scan, start, (size_t)(scan->at - start));
	return 0;
}

static const char *number_end(const struct scan *scan)
{
	const char *c = scan->at + (*scan->at == '-' || *scan->at == '+');
	const bool hex = scan->end - c > 1 && c[0] == '0' && (c[1] | 0x20) == 'x';

	while (c < scan->end &&
	    (isalnum((unsigned char)*c) || *c == '.' ||
	        ((*c == '-' || *c == '+') && !hex && (c[-1] | 0x20) == 'e')))
		c++;
	return c;
}

static void number_copy(struct scan *scan)
{
	const char *start = scan->at, *end = number_end(scan);
	char text[64], *rest;
	size_t len = (size_t)(end - start);

	scan->at = end;
	while (len > 1 && len < sizeof(text) && end[-1] == 'L') {
		end--;
		len--;
	}
	if (len >= sizeof(text)) {
		token_emit(scan, start, len);
		return;
	}
	memcpy(text, start, len);
	text[len] = 0;
	errno = 0;
	const char *digits = text + (text[0] == '-' || text[0] == '+');
	const int base = digits[0] == '0' && (digits[1] | 0x20) == 'x' ? 16 : 10;
	const long long number = strtoll(text, &rest, base);
	if (*rest)
		token_emit(scan, text, len); /* a real, or nothing that libconfig knows */
	else if (errno == ERANGE || number > (1LL << 53) || number < -(1LL << 53))
		fprintf(emit_at(scan, false), "%.17e", strtod(text, NULL));
	else
		fprintf(emit_at(scan, false),
		    number > INT32_MAX || number < INT32_MIN ? "%lldL" : "%lld", number);
}

static void part_begin(struct scan *scan)
{
	fputs("};" SCAN_MORE, emit_at(scan, false));
	for (unsigned n = scan->more++, left = 1; left; n /= 10, left = n)
		fputc('0' + (int)(n % 10), scan->out);
	fputs(":{", scan->out);
}

static int twice_check(struct scan *scan, const char *name, size_t len)
{
	struct scope *scope = &scan->scopes[scan->depth];
	const int64_t first = name_map_find(&scope->names, name, len);

	if (first >= 0) {
		diag_error(scan->diag, scan->file, scan->line,
		    "\"%.*s\" appears twice, first on line %d; names must differ",
		    (int)(len > 80 ? 80 : len), name, (int)first);
		fprintf(emit_at(scan, false), SCAN_TWICE "%u*", scan->twice++);
		return error_mended(scan);
	}
	if (scope->names.n >= SCAN_SETTINGS_MAX)
		return diag_error(scan->diag, scan->file, scan->line,
		    "one group has more than %d settings", SCAN_SETTINGS_MAX);
	if (scope->cut && scope->names.n > 0 && scope->names.n % SCAN_PART == 0)
		part_begin(scan);
	if (scan->depth == 0)
		scan->instances = len == 9 && memcmp(name, "instances", len) == 0;
	return name_map_put(&scope->names, name, len, (uint32_t)scan->line);
}

static int word_copy(struct scan *scan)
{
	const char *word = scan->at;
	const bool key = !scan->value && scan->scopes[scan->depth].close != ')' &&
	    scan->scopes[scan->depth].close != ']';
	int error;

	while (
	    scan->at < scan->end && (isalnum((unsigned char)*scan->at) || strchr("_-*", *scan->at)))
		scan->at++;
	const size_t len = (size_t)(scan->at - word);
	if (memchr(word, '*', len))
		return line_refuse(scan, scan->line,
		    "a name contains *; letters, digits and _ are "
		    "allowed");
	if (key && (error = twice_check(scan, word, len)) < 0)
		return error;
	token_emit(scan, word, len);
	return 0;
}

static bool in_list(const struct scan *scan)
{
	return scan->depth > 0 && scan->scopes[scan->depth].close != '}';
}

static void value_ended(struct scan *scan)
{
	scan->value = false;
	if (in_list(scan))
		scan->scopes[scan->depth].ended = scan->line;
}

/* How many bytes of the value here a message shows: a text whole, of a group its bracket, whole
 * characters of both. */
static int shown_len(const struct scan *scan)
{
	enum { SHOWN = 60 };
	const char *at = scan->at, quote = *at == '"' ? '"' : 0;

	while (++at < scan->end && at - scan->at < SHOWN && *at != '\n' && *at != quote)
		if (!quote && !isalnum((unsigned char)*at) && *at != '.')
			return (int)(at - scan->at);
	while (at < scan->end && ((unsigned char)*at & 0xc0) == 0x80)
		at--;
	return (int)(at - scan->at) + (at < scan->end && *at == quote);
}

/* A value begins. In a list a comma stands between it and the one before. */
static int value_begins(struct scan *scan)
{
	struct scope *scope = &scan->scopes[scan->depth];
	const int ended = in_list(scan) ? scope->ended : 0, len = ended ? shown_len(scan) : 0;

	if (!ended)
		return 0;
	scope->ended = 0;
	token_emit(scan, ",", 1);
	if (ended == scan->line)
		diag_error(
		    scan->diag, scan->file, ended, "a comma is missing before %.*s", len, scan->at);
	else
		diag_error(scan->diag, scan->file, ended,
		    "a comma is missing at the end of this line: on line %d the list goes on with "
		    "%.*s",
		    scan->line, len, scan->at);
	return error_mended(scan);
}

static int bracket_open(struct scan *scan)
{
	const char c = *scan->at++;

	if (scan->depth == SCAN_DEPTH_MAX)
		return diag_error(scan->diag, scan->file, scan->line,
		    "brackets are nested deeper than %d levels", SCAN_DEPTH_MAX);
	scan->depth++;
	scan->scopes[scan->depth] = (struct scope){
	    .close = c == '{' ? '}'
	        : c == '['    ? ']'
	                      : ')',
	    .line = scan->line,
	    .names = scan->scopes[scan->depth].names,
	    .cut = c == '{' && scan->depth == 1 && scan->parts && scan->instances,
	};
	if (scan->depth == 1)
		scan->instances = false;
	token_emit(scan, c == '[' ? "(" : &c, 1);
	return 0;
}

static int bracket_close(struct scan *scan)
{
	const char c = *scan->at++;
	struct scope *scope = &scan->scopes[scan->depth];

	if (scan->depth == 0)
		return diag_error(
		    scan->diag, scan->file, scan->line, "%c closes nothing that was opened", c);
	if (scope->close != c)
		return diag_error(scan->diag, scan->file, scan->line,
		    "found %c, but %c is needed first: a bracket of line %d is still open", c,
		    scope->close, scope->line);
	name_map_clear(&scope->names);
	scan->depth--;
	token_emit(scan, c == ']' ? ")" : &c, 1);
	value_ended(scan);
	return 0;
}

/* A text, a number, a word or a bracket: 1 if there is none of them here. */
static int value_scan(struct scan *scan)
{
	const char c = *scan->at;
	const bool number = isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.';
	const bool word = isalpha((unsigned char)c) || c == '*',
	           opens = c == '{' || c == '(' || c == '[';
	int error;

	if (c != '"' && !number && !word && !opens)
		return 1;
	error = value_begins(scan);
	if (error)
		return error;
	if (opens) {
		scan->value = false;
		return bracket_open(scan);
	}
	if (number)
		number_copy(scan);
	else
		error = word ? word_copy(scan) : string_copy(scan);
	value_ended(scan);
	return error;
}

static int token_scan(struct scan *scan)
{
	const char c = *scan->at;

	if (c == '#' || next_is(scan, "//") || next_is(scan, "/*"))
		return comment_skip(scan);
	if (isspace((unsigned char)c)) {
		scan->line += c == '\n';
		scan->newlines += c == '\n';
		scan->at++;
		if (c != '\n')
			fputc(' ', scan->out);
		return 0;
	}
	if (c == '@')
		return line_refuse(
		    scan, scan->line, "@include is not allowed: a waveform is one file");
	const int error = value_scan(scan);
	if (error <= 0)
		return error;
	if (c == '}' || c == ')' || c == ']')
		return bracket_close(scan);
	scan->value = c == '=' || c == ':';
	scan->scopes[scan->depth].ended = 0;
	token_emit(scan, scan->at++, 1);
	return 0;
}

static int scan_all(struct scan *scan)
{
	int error = 0;

	if (next_is(scan, "\xef\xbb\xbf"))
		scan->at += 3;
	while (!error && scan->at < scan->end)
		error = token_scan(scan);
	emit_at(scan, false);
	if (!error && scan->depth > 0)
		error = diag_error(scan->diag, scan->file, scan->line,
		    "the file ends, but %c is needed first: a bracket of line %d is still open",
		    scan->scopes[scan->depth].close, scan->scopes[scan->depth].line);
	return error;
}

int wf_scan(
    const char *file, const char *text, size_t len, bool parts, struct diag *diag, char **ret_text)
{
	struct scan scan = {
	    .file = file, .at = text, .end = text + len, .line = 1, .parts = parts, .diag = diag};
	char *out = NULL;
	size_t out_len;
	int error = bytes_check(file, text, len, diag);

	if (error)
		return error;
	scan.out = open_memstream(&out, &out_len);
	if (!scan.out)
		return -ENOMEM;
	error = scan_all(&scan);
	for (int i = 0; i <= SCAN_DEPTH_MAX; i++)
		name_map_fini(&scan.scopes[i].names);
	const bool failed = ferror(scan.out);
	if (fclose(scan.out) != 0 || failed)
		error = -ENOMEM;
	if (error)
		free(out);
	else
		*ret_text = out;
	return error;
}
