/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/aloe.h - the programs of this build as a user runs them: a command line in, exit
 * status, output and report out. For CMocka programs; what cannot be done fails the test.
 *
 *         struct ran *ran = aloe("run waveforms/bpsk.conf --clock virtual --slots %d --json -q",
 *         10); assert_int_equal(ran->status, 0); assert_true(ran_variable(ran, "check.blocks") ==
 *         10); ran_free(ran);
 *
 * The current folder is the root of the project. Each program has a working folder of its own,
 * removed by aloe_fini; run folders and profiles go there too, so that a test begins without any
 * and nothing of the user's is touched.
 */
#ifndef TESTS_COMMON_ALOE_H
#define TESTS_COMMON_ALOE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/json/json.h"

/* Programs built with a sanitizer are several times as slow: tests run less there, in longer
 * slots. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALOE_SLOWER(quick, slow) slow
#else
#define ALOE_SLOWER(quick, slow) quick
#endif

struct ran {
	int status; /* exit status; 128 + signal */
	char *out, *err;
	json_t *report; /* of standard output, if that is one JSON object or array; else NULL */
};

/* aloe_part tells whether the tests of a part are to be run: "lanes" (those that take a lane on the
 * timer or a radio), "two" (those that take two lanes) or "rest". tests/run.sh runs the parts of a
 * program at different times (TEST_PART); without TEST_PART all are. */
bool aloe_part(const char *part);
/* ALOE_PART runs this group of CMocka's tests if its part is to be run: the number that failed. */
#define ALOE_PART(part, tests, init, fini)                                                         \
	(aloe_part(part) ? cmocka_run_group_tests(tests, init, fini) : 0)

/* Group setup and teardown of CMocka. aloe_fini fails where the runs have left a socket or folder
 * behind. */
int aloe_init(void **state);
int aloe_fini(void **state);

/* aloe_path gives a file in the working folder, aloe_program one of the build's programs. Valid to
 * aloe_fini. */
const char *aloe_path(const char *name);
const char *aloe_program(const char *name);

/* aloe_off_lane keeps this process, which becomes a simulator, off the CPU of the lane of its row
 * in tests/run.sh: a lane of a radio never sleeps, and what wakes up there has no time. */
void aloe_off_lane(void);

/* aloe runs `aloe ARGUMENTS...` and waits for its end; again while another node has the CPU of a
 * real-time lane: for two minutes, then the test fails and names the process that has it. aloe_ends
 * and aloe_ok fail the test where the exit status is another. */
struct ran *aloe(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* aloe_once does not wait for a CPU that is taken. */
struct ran *aloe_once(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct ran *aloe_ends(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define aloe_ok(...) aloe_ends(0, __VA_ARGS__)
void ran_free(struct ran *ran);
/* aloe_help gives what `aloe help COMPONENT` says, in one line; free it. */
char *aloe_help(const char *component);

/* Numbers out of the report, by path ("latency.slots"; a number is a place in an array).
 * ran_variable takes INSTANCE.VAR. Fails the test where there is none. */
double ran_number(const struct ran *ran, const char *path);
/* ran_is_null: it is there, and has no value. */
bool ran_is_null(const struct ran *ran, const char *path);
const char *ran_text(const struct ran *ran, const char *path);
double ran_variable(const struct ran *ran, const char *name);
/* ran_clean: no slot missed, slipped or skipped, no message absent, late, overwritten or lost. */
bool ran_clean(const struct ran *ran);
/* ran_lines counts the lines of a text. */
int ran_lines(const char *text);

/* conf_derive writes the waveform of `from` into the working folder as `name`, after the edits
 * {found once, new text}, ... {NULL}; returns its path. */
const char *conf_derive(const char *from, const char *name, const char *const edits[][2]);

void *file_take(const char *path, size_t *ret_len); /* whole; free it */
void file_make(const char *path, const void *data, size_t len);
void files_equal(const char *a, const char *b);
/* file_sha256 writes the digest of a file, 64 hexadecimal digits. */
void file_sha256(const char *path, char ret_hex[65]);

#endif
