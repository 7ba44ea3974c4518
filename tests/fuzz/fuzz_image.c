/* SPDX-License-Identifier: BSD-3-Clause
 * core/image: whatever passes image_check can be opened and walked by every accessor without
 * leaving the mapping.
 *
 * The input is a list of changes, 6 bytes each, to a sound program: which 4-byte word (2 bytes,
 * modulo the program's), and its new value. So most inputs get past the first line of the check,
 * and the corpus is good for every version of the image. An input that begins with the magic number
 * is taken as a program as it is. */
#include <stdlib.h>
#include <string.h>

#include "tests/common/image_sample.h"
#include "tests/common/image_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TOTAL_MAX = 64 << 20 };

/* Made once: it is the same for every input. */
static const uint8_t *sound_program(size_t *ret_len)
{
	static uint8_t *program;
	static size_t len;

	if (program == NULL) {
		struct rig *rig = image_sample_rig();

		program = rig_program(rig, &len);
		rig_close(rig);
	}
	*ret_len = len;
	return program;
}

static void words_change(uint8_t *program, size_t len, const uint8_t *data, size_t size)
{
	for (; size >= 6; data += 6, size -= 6) {
		uint16_t word;

		memcpy(&word, data, sizeof(word));
		memcpy(program + word % (len / 4) * 4, data + 2, 4);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t magic = IMAGE_MAGIC;
	const char *why = NULL;
	const uint8_t *sound;
	uint8_t *program;
	size_t len;

	if (size >= sizeof(magic) && memcmp(data, &magic, sizeof(magic)) == 0) {
		if (image_try(data, size, TOTAL_MAX, &why) != 0 && why == NULL)
			abort();
		return 0;
	}
	sound = sound_program(&len);
	program = malloc(len);
	if (program == NULL)
		return 0;
	memcpy(program, sound, len);
	words_change(program, len, data, size);
	if (image_try(program, len, TOTAL_MAX, &why) != 0 && why == NULL)
		abort();
	free(program);
	return 0;
}
