/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/chain.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct wf_value *value_of(const struct wf_instance *instance, const char *name)
{
	for (size_t i = 0; instance && i < instance->type->n_params; i++)
		if (!strcmp(instance->type->params[i].name, name))
			return &instance->values[i];
	return NULL;
}

static const struct wf_instance *first_with(const struct waveform *waveform, const char *parameter)
{
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (value_of(&waveform->instances[i], parameter))
			return &waveform->instances[i];
	return NULL;
}

/* The instance that feeds the second input, `received`. */
static const struct wf_instance *receiver_of(
    const struct waveform *waveform, const struct wf_instance *compare)
{
	return compare->in[1].link < 0
	    ? NULL
	    : &waveform->instances[waveform->links[compare->in[1].link].from];
}

static const struct wf_instance *compare_find(const struct waveform *waveform)
{
	const struct wf_instance *first = NULL;

	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i], *from;
		if (strcmp(instance->type->name, "bit_compare") != 0)
			continue;
		from = receiver_of(waveform, instance);
		if (from && strstr(from->type->name, "decoder"))
			return instance;
		first = first ? first : instance;
	}
	return first;
}

static int missing(const struct bench *bench, const struct chain *chain, const char *what)
{
	return cli_fail(bench->args, "%s has no instance of %s", chain->path, what);
}

static int chain_find(const struct bench *bench, struct chain *chain)
{
	const struct waveform *waveform = chain->source.waveform;
	const struct wf_value *bits_per_item, *scaling, *esn0;

	chain->noise = first_with(waveform, "ebn0_db");
	chain->compare = compare_find(waveform);
	chain->decoder = first_with(waveform, "iterations");
	if (!chain->noise)
		return missing(bench, chain, "a component with a parameter ebn0_db (awgn)");
	if (!chain->compare)
		return missing(bench, chain, "bit_compare, which counts the errors");
	bits_per_item = value_of(chain->noise, "bits_per_item");
	scaling = value_of(chain->decoder, "scaling");
	esn0 = value_of(chain->noise, "esn0_db");
	chain->esn0 = esn0 && esn0->set;
	chain->k = chain->compare->in[0].max;
	if (bits_per_item && bits_per_item->number > 0)
		chain->m = chain->k / bits_per_item->number;
	chain->iterations =
	    chain->decoder ? (int)value_of(chain->decoder, "iterations")->number : 0;
	chain->scaling = scaling && scaling->number > 0 ? scaling->number : 1;
	return CLI_OK;
}

int chain_open(struct bench *bench, const char *path, struct chain *chain)
{
	int status;

	*chain = (struct chain){.path = path, .args = bench->args};
	status = source_open(&chain->source, bench->args, path, true);
	return status == CLI_OK ? chain_find(bench, chain) : status;
}

void chain_close(struct chain *chain)
{
	source_close(&chain->source);
}

/* 53 bits: 13 of the user's seed, 20 of the noise in thousandths of a dB, 12 of the batch, 8 of the
 * instance. */
static uint64_t seed_of(const struct chain_point *point, size_t instance)
{
	const double ebn0_db = isnan(point->ebn0_db) ? 0 : point->ebn0_db;
	const uint64_t noise = (uint64_t)llround((ebn0_db + 500) * 1000) & 0xfffff;

	return point->seed << 40 | noise << 20 | (uint64_t)(point->batch & 0xfff) << 8 |
	    (instance & 0xff);
}

void chain_words(const struct chain *chain, const struct chain_point *point, struct words *words)
{
	const struct waveform *waveform = chain->source.waveform;

	words_add(words, "%s", chain->path);
	for (size_t i = 0; cli_nth(chain->args, "set", i); i++)
		words_add(words, "--set=%s", cli_nth(chain->args, "set", i));
	if (!isnan(point->ebn0_db))
		words_add(words, "--set=%s.ebn0_db=%.6g", chain->noise->name, point->ebn0_db);
	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];
		if (value_of(instance, "seed"))
			words_add(
			    words, "--set=%s.seed=%" PRIu64, instance->name, seed_of(point, i));
		if (point->iterations && value_of(instance, "iterations"))
			words_add(
			    words, "--set=%s.iterations=%d", instance->name, point->iterations);
		if (!isnan(point->scaling) && value_of(instance, "scaling"))
			words_add(words, "--set=%s.scaling=%g", instance->name, point->scaling);
	}
}
