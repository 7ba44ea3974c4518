/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fuzz smoke: a fuzz target (LLVMFuzzerTestOneInput) run without libFuzzer, as a CMocka
 * program. First every file of tests/fuzz/corpus/NAME as it is, then a fixed number of inputs made
 * from them: bits turned, bytes set, pieces cut, repeated and exchanged, all from one seed, so that
 * a failure repeats. NAME is that of this program, fuzz_NAME. FUZZ_RUNS: so many instead.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CORPUS_MAX = 512, INPUT_BYTES_MAX = 64 << 10, RUNS = 100000 };

struct input {
	uint8_t *bytes;
	size_t len;
};

struct corpus {
	char name[128];
	struct input inputs[CORPUS_MAX];
	size_t len;
	uint64_t random;
};

static uint64_t random_next(struct corpus *corpus)
{
	corpus->random ^= corpus->random << 13;
	corpus->random ^= corpus->random >> 7;
	corpus->random ^= corpus->random << 17;
	return corpus->random;
}

static size_t random_below(struct corpus *corpus, size_t n)
{
	return n ? (size_t)(random_next(corpus) % n) : 0;
}

static void corpus_add(struct corpus *corpus, const char *path)
{
	struct input *input = &corpus->inputs[corpus->len];
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	input->bytes = malloc(INPUT_BYTES_MAX);
	assert_non_null(input->bytes);
	input->len = fread(input->bytes, 1, INPUT_BYTES_MAX, file);
	fclose(file);
	corpus->len++;
}

static int runs_wanted(void)
{
	const char *text = getenv("FUZZ_RUNS");

	return text != NULL ? atoi(text) : RUNS;
}

static int names_only(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int corpus_open(void **state)
{
	struct corpus *corpus = calloc(1, sizeof(*corpus));
	char self[4096] = {0}, path[4096 + 256];
	struct dirent **entries;
	int n;

	if (!corpus || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    !strstr(self, "fuzz_"))
		return -1;
	snprintf(
	    corpus->name, sizeof(corpus->name), "%s", strrchr(self, '/') + 1 + strlen("fuzz_"));
	corpus->random = 88172645463325252ull;
	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", corpus->name);
	n = scandir(path, &entries, names_only, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s", corpus->name,
		    entries[i]->d_name);
		if (corpus->len < CORPUS_MAX)
			corpus_add(corpus, path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	*state = corpus;
	return 0;
}

static int corpus_close(void **state)
{
	struct corpus *corpus = *state;

	for (size_t i = 0; i < corpus->len; i++)
		free(corpus->inputs[i].bytes);
	free(corpus);
	return 0;
}

/* A heap block of exactly the input's size, so that a sanitizer sees the first byte read past
 * it. */
static void target_run(const uint8_t *bytes, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1);

	assert_non_null(exact);
	memcpy(exact, bytes, len);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
}

static void test_corpus_as_it_is(void **state)
{
	const struct corpus *corpus = *state;

	if (!corpus->len)
		fail_msg("tests/fuzz/corpus/%s has no file", corpus->name);
	for (size_t i = 0; i < corpus->len; i++)
		target_run(corpus->inputs[i].bytes, corpus->inputs[i].len);
}

static size_t piece_cut(struct corpus *corpus, uint8_t *bytes, size_t len)
{
	const size_t from = random_below(corpus, len), n = random_below(corpus, len - from) + 1;

	memmove(bytes + from, bytes + from + n, len - from - n);
	return len - n;
}

static size_t piece_put(
    struct corpus *corpus, uint8_t *bytes, size_t len, const struct input *other)
{
	const size_t from = random_below(corpus, other->len), to = random_below(corpus, len + 1);
	size_t n = random_below(corpus, other->len - from) + 1;

	if (n > INPUT_BYTES_MAX - len)
		n = INPUT_BYTES_MAX - len;
	memmove(bytes + to + n, bytes + to, len - to);
	memcpy(bytes + to, other->bytes + from, n);
	return len + n;
}

static size_t mutate(struct corpus *corpus, uint8_t *bytes, size_t len)
{
	static const uint8_t edges[] = {
	    0, 1, 0x7f, 0x80, 0xff, '"', '{', '}', '(', ';', '=', '-', '.', '9', '\n', '\\'};
	const struct input *other = &corpus->inputs[random_below(corpus, corpus->len)];
	const uint64_t what = random_next(corpus) % 6;

	if (what == 0 && other->len)
		return piece_put(corpus, bytes, len, other);
	if (len == 0)
		return 0;
	if (what == 1)
		return piece_cut(corpus, bytes, len);
	if (what == 2)
		bytes[random_below(corpus, len)] = edges[random_below(corpus, sizeof(edges))];
	else if (what == 3)
		bytes[random_below(corpus, len)] = (uint8_t)random_next(corpus);
	else if (what == 4)
		bytes[random_below(corpus, len)] ^= (uint8_t)(1u << random_below(corpus, 8));
	else
		return random_below(corpus, len + 1);
	return len;
}

static void test_corpus_mutated(void **state)
{
	struct corpus *corpus = *state;
	uint8_t *bytes = malloc(INPUT_BYTES_MAX);
	const int runs = runs_wanted();

	assert_non_null(bytes);
	assert_true(corpus->len > 0);
	for (int run = 0; run < runs; run++) {
		const struct input *input = &corpus->inputs[random_below(corpus, corpus->len)];
		size_t len = input->len;

		memcpy(bytes, input->bytes, len);
		for (size_t n = random_below(corpus, 8) + 1; n > 0; n--)
			len = mutate(corpus, bytes, len);
		target_run(bytes, len);
	}
	free(bytes);
}

static void test_noise(void **state)
{
	struct corpus *corpus = *state;
	const int runs = runs_wanted() / 10;
	uint8_t bytes[512];

	for (int run = 0; run < runs; run++) {
		const size_t len = random_below(corpus, sizeof(bytes));

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)random_next(corpus);
		target_run(bytes, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_corpus_as_it_is),
	    cmocka_unit_test(test_corpus_mutated),
	    cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, corpus_open, corpus_close);
}
