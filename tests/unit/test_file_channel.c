/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/file/channel: the end of a recording is known together with its last samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "platforms/file/channel.h"

enum { SAMPLES = 32768, PACKET = 1024 };

static void recording_make(char *path)
{
	static const uint8_t zeros[SAMPLES * 4];
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, zeros, sizeof(zeros)), sizeof(zeros));
	close(fd);
}

/* The ring is as long as the recording: there is no room to read on until samples are taken. A slot
 * that takes them all is the last one. */
static void ring_is_full(int at_end, uint64_t end)
{
	char path[] = "/tmp/aloe-recording.XXXXXX";
	const struct file_settings settings = {
	    .path = path, .tx_path = "", .format = FILE_CI16, .at_end = at_end, .rate = 1e6};
	struct file_channel channel;
	const char *what = NULL;

	recording_make(path);
	assert_int_equal(file_open(&channel, &settings, SAMPLES, PACKET, &what), 0);
	assert_int_equal(atomic_load(&channel.in.written), SAMPLES);
	assert_int_equal(atomic_load(&channel.end), end);
	assert_int_equal(file_close(&channel), 0);
	unlink(path);
}

static void test_it_ends(void **state)
{
	(void)state;
	ring_is_full(FILE_ENDS, SAMPLES);
}

static void test_it_loops(void **state)
{
	(void)state;
	ring_is_full(FILE_LOOPS, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_it_ends),
	    cmocka_unit_test(test_it_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
