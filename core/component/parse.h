/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/component/parse.h - the text of a parameter becomes its value: the one place that knows what
 * a user may write, and what is said of anything else.
 *
 *	REAL, INT   12, -1.5e-3                INT: whole numbers
 *	BOOL        true, false, 1, 0
 *	ENUM        one of the parameter's names
 *	TEXT, PATH  anything that fits; a path is not empty
 *	REALS       1, 0.5, -2e-3              commas, white space or both between; [ ] around them
 *	            @FILE                      the same in a file, with comments from # on
 *	            @FILE.f32                  a file of floats as they lie in this machine's memory
 *
 * A waveform file, --set, `aloe set` and `comprun --param` all come here.
 */
#ifndef ALOE_COMPONENT_PARSE_H
#define ALOE_COMPONENT_PARSE_H

#include <aloe/component.h>

enum {
	PARAM_ITEMS_MAX = 1 << 20, /* numbers in one value, whatever the descriptor allows */
	PARAM_WHY_BYTES = 1000     /* enough for every reason */
};

/* How a text was given decides what it may be. */
enum param_form {
	PARAM_WORD,   /* on a command line: anything */
	PARAM_QUOTED, /* in quotes in a file: a text, a name, @FILE */
	PARAM_PLAIN   /* without quotes in a file: a number, true or false, a list in [ ] */
};

struct param_given {
	const char *text;
	enum param_form form;
	/* path gives the path to open for one that the user wrote, or NULL without memory; the
	 * caller frees it. Without a function a path is taken as it is. */
	char *(*path)(const void *self, const char *path);
	const void *self;
};

struct param_value {
	double number;   /* REAL, INT, BOOL (0, 1), ENUM (position in names) */
	char *text;      /* TEXT, PATH: from malloc */
	double *numbers; /* REALS: from malloc */
	uint32_t n_numbers;
	uint32_t item; /* after -EINVAL of REALS: the first item that is wrong */
};

/* param_parse reads a text for `param`, of which it looks at kind, min, max, unit, names, size and
 * items_max: 0 with the value; -ENOMEM; -EINVAL with a sentence that begins with `name` and says
 * what was found and what is allowed. */
int param_parse(const struct aloe_param *param, const char *name, const struct param_given *given,
    struct param_value *ret, char *ret_why, size_t size);
void param_value_fini(struct param_value *value);

/* param_floats gives the numbers as floats; the caller frees them. NULL without memory. */
float *param_floats(const struct param_value *value);

/* param_reals_fit holds an array against items_max, min and max of `param`: 0, or -EINVAL with a
 * sentence as param_parse's. */
int param_reals_fit(const struct aloe_param *param, const char *name, const float *data,
    uint32_t len, char *ret_why, size_t size);

/* param_inline gives for "@FILE" the numbers in the file, as a text that param_parse reads back to
 * the same floats, and a copy of any other text; the caller frees it. Errors as param_parse. */
int param_inline(const char *name, const char *text, char **ret, char *ret_why, size_t size);

#endif
