/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/fake.h - stand-ins for aloe-exec, aloe-stats, aloe-swman and aloe-host, for tests of
 * the real frontend.
 *
 * The test program is linked or copied under those names into a folder with aloe-frontend, and
 * calls fake_main when it has been started under one of them. A fake daemon attaches, loads what is
 * kept, says HELLO, ends as real ones do, and answers
 *
 *         LIST     OK {TEXT "key=blob:content of the first descriptor:rw|ro|none ..."}: what it has
 *                  been given or has put; swman lists the events that it has got
 * 	PREPARE  keeps a new memory with TEXT in it, blob TEXT, under the key NAME, then OK
 * 	UNLOAD   drops the key NAME, then OK
 * 	STEP     nothing, ever
 * 	START    stats passes it on to exec; the others FAIL {CODE 7, TEXT "exec says no"}
 * 	PAUSE    starts an aloe-host that knows of no leash and sleeps for good, then OK
 * 	STATUS   sends swman an EVENT, then OK
 * 	LOAD     is silent for FAKE_LONG_MS, then OK
 *
 * exec is silent for as long before its HELLO where it takes up the key FAKE_LONG_KEY.
 */
#ifndef TESTS_COMMON_FAKE_H
#define TESTS_COMMON_FAKE_H

#include <stdbool.h>

enum { FAKE_LONG_MS = 7500 }; /* longer than the frontend's patience with who does nothing */
#define FAKE_LONG_KEY "host/long"

bool fake_named(const char *argv0); /* started as one of them */
int fake_main(int argc, char **argv);

#endif
