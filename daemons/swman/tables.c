/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

void *rows_add(struct build *b, struct rows *rows, const void *row, size_t count)
{
	void *at;

	if (rows->count + count > rows->room) {
		const size_t room = (rows->count + count) * 2;
		uint8_t *bytes = realloc(rows->bytes, room * rows->size);

		if (bytes == NULL) {
			b->failed = true;
			return NULL;
		}
		rows->bytes = bytes;
		rows->room = room;
	}
	at = rows->bytes + rows->count * rows->size;
	if (count > 0)
		memcpy(at, row, count * rows->size);
	rows->count += count;
	return at;
}

/* ---- texts: each is there once ---- */

static uint32_t *word_place(const struct build *b, uint32_t *words, size_t size, const char *text)
{
	size_t at = hash_text(HASH_START, text) & (size - 1);

	while (words[at] != 0 && b->text.bytes != NULL &&
	    strcmp((const char *)b->text.bytes + words[at] - 1, text) != 0)
		at = (at + 1) & (size - 1);
	return &words[at];
}

static bool words_grow(struct build *b)
{
	const size_t size = b->words_size > 0 ? b->words_size * 2 : 1024;
	uint32_t *words = calloc(size, sizeof(*words));

	if (words == NULL)
		return false;
	for (size_t i = 0; i < b->words_size; i++)
		if (b->words[i] != 0)
			*word_place(b, words, size, (const char *)b->text.bytes + b->words[i] - 1) =
			    b->words[i];
	free(b->words);
	b->words = words;
	b->words_size = size;
	return true;
}

/* One of its own, behind the text before it. */
uint32_t text_append(struct build *b, const char *text)
{
	const uint32_t at = (uint32_t)b->text.count;

	rows_add(b, &b->text, text, strlen(text) + 1);
	return at;
}

uint32_t text_add(struct build *b, const char *text)
{
	uint32_t *word;

	if (text == NULL)
		text = "";
	if (b->n_words * 2 >= b->words_size && !words_grow(b)) {
		b->failed = true;
		return 0;
	}
	word = word_place(b, b->words, b->words_size, text);
	if (*word == 0) {
		const uint32_t at = text_append(b, text);

		*word = at + 1;
		b->n_words++;
	}
	return *word - 1;
}

/* ---- links and buffers by instance ---- */

static void index_fill(struct build *b)
{
	const struct waveform *wf = b->wf;
	struct index *index = &b->index;

	for (size_t l = 0; l < wf->n_links; l++) {
		index->first[wf->links[l].to + 1]++;
		index->has_reader[wf->links[l].from] = true;
	}
	for (size_t i = 0; i < wf->n_instances; i++)
		index->first[i + 1] += index->first[i];
	/* from the back: `first` comes down to where it belongs */
	for (size_t l = wf->n_links; l-- > 0;)
		index->links[--index->first[wf->links[l].to + 1]] = (uint32_t)l;
	for (size_t i = 0; i < wf->n_instances; i++)
		index->first[i] = index->first[i + 1];
	index->first[wf->n_instances] = (uint32_t)wf->n_links;
	for (uint32_t i = b->plan->n_buffers; i-- > 0;)
		index->buffer[b->plan->buffers[i].instance] = i;
}

int index_init(struct build *b)
{
	const size_t n = b->wf->n_instances + 2;
	struct index *index = &b->index;

	index->first = calloc(n, sizeof(*index->first));
	index->links = calloc(b->wf->n_links + 1, sizeof(*index->links));
	index->buffer = calloc(n, sizeof(*index->buffer));
	index->has_reader = calloc(n, sizeof(*index->has_reader));
	if (index->first == NULL || index->links == NULL || index->buffer == NULL ||
	    index->has_reader == NULL)
		return -ENOMEM;
	index_fill(b);
	return 0;
}

void index_fini(struct index *index)
{
	free(index->first);
	free(index->links);
	free(index->buffer);
	free(index->has_reader);
}
