/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/contract/subject.h - one instance under test, of any component, with messages made from its
 * port types. Nothing here knows a component, except for the few rows below: parameters without a
 * default, and inputs whose blocks have a length of their own.
 */
#ifndef TESTS_CONTRACT_SUBJECT_H
#define TESTS_CONTRACT_SUBJECT_H

#include "tests/common/counting.h"
#include "tests/contract/each.h"

enum {
	MAX_ITEMS = 1212,
	SHORT_ITEMS = 840,
	INDICES = 12,
	INPUTS = ALOE_PORTS_MAX,
	PACKET_ITEMS = 364
};

static const struct row {
	const char *component, *param, *value; /* NULL: not set */
} rows[] = {
    {"awgn", "esn0_db", "10"},
    {"fader", "rate_hz", "1e6"},
    {"file_source", "type", "i16"}, /* what the file holds; not varied */
    {"fir", "decimation", "5"},
    {"nco", "frequency", "0.1"},
    {"player", "length", "4"},
    {"player", "path", "tests/vectors/recording/ramp"},
    {"player", "type", "i16"},
    {"resample", "ratio", "1.5"},
    {"resample_rational", "decimation", "4"},
    {"resample_rational", "interpolation", "5"},
    {"sigmf_sink", "datatype", "auto"}, /* the other one is for ci16 only */
    {"sigmf_source", "path", "waveforms/speech.sigmf-meta"},
    {"sigmf_source", "type", "i16"}, /* not varied */
    {"utran_deequalise", "coded", "1212"},
    {"utran_demux", "frame_bits", NULL}, /* the lengths are given */
    {"utran_demux", "rm", NULL},
    /* a message of its port takes 16 slots to hold, so that what is set is heard */
    {"upols", "per_slot", "1"},
    {"upols", "taps", "4"},
    {"upols", "transform", "auto"}, /* messages here have no size of its own transforms */
    {"utran_demux", "length1", "100"},
    {"utran_demux", "length2", "200"},
    {"utran_demux", "length3", "300"},
    {"utran_dpch_demap", "in", "600"},
    {"utran_dpch_demap", "slot_format", "11"},
    {"utran_dpch_map", "in", "420"},
    {"utran_dpch_map", "slot_format", "11"},
    {"utran_rate_dematch", "coded", "1212"},
    {"utran_rate_match", "output", "1000"},
    {"utran_rate_match", "frame_bits", NULL},
    {"utran_rate_match", "rm", NULL},
    {"utran_desegment", "tti_ms", "40"}, /* of several frames, so that there is a tail */
    {"utran_segment", "tti_ms", "40"},
    {"utran_sync", "in", "76800"},
};

/* ---- one instance under test ---- */

struct subject {
	struct mock mock;
	struct aloe_component watched; /* the component, with work going through watched_work */
	uint8_t *messages[INPUTS];
	uint64_t random;
	uint64_t hash; /* of all that came out */
	int failed;    /* what work returned, if negative */
	bool input_changed;
	int alloc_fails_in; /* aloe_alloc gives NULL at this call, counted down to 1; 0: never */
};

/* work has no argument but its own: this is the subject that this thread drives. */
static _Thread_local struct subject *driven;

static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
	return hash;
}

static inline uint64_t hash_inputs(const struct subject *s)
{
	uint64_t hash = 1;

	for (unsigned i = 0; i < INPUTS; i++)
		if (s->mock.in[i].len)
			hash = hash_bytes(hash, s->mock.in[i].data,
			    (size_t)s->mock.in[i].len * aloe_item_bytes(s->mock.format_in[i].type));
	return hash;
}

static const struct aloe_component *original(const struct mock *m)
{
	char symbol[300];
	const struct aloe_entry *entry;

	snprintf(symbol, sizeof(symbol), "aloe_component_%s", m->name);
	entry = dlsym(m->library, symbol);
	return entry->component;
}

static inline int watched_work(void *self, struct aloe_slot *slot)
{
	const struct aloe_component *component = original(&driven->mock);
	const uint64_t before = hash_inputs(driven);
	int rc;

	asked.in_slot = true;
	rc = component->work(self, slot);
	asked.in_slot = false;
	driven->input_changed |= hash_inputs(driven) != before;
	if (rc < 0)
		driven->failed = rc;
	return rc;
}

static inline void *failing_alloc(struct aloe_setup *setup, size_t size)
{
	struct subject *s =
	    (struct subject *)((char *)setup - offsetof(struct subject, mock.setup));

	return s->alloc_fails_in && --s->alloc_fails_in == 0 ? NULL : mock_alloc(setup, size);
}

/* ---- variants: every enum value and every input type occurs in one of them ---- */

static inline unsigned type_count(uint32_t types)
{
	return (unsigned)__builtin_popcount(types);
}

static inline uint32_t type_at(uint32_t types, unsigned variant)
{
	for (unsigned skip = variant % type_count(types); skip; skip--)
		types &= types - 1;
	return types & -types;
}

static inline unsigned enum_count(const struct aloe_param *p)
{
	unsigned n = 0;

	while (p->kind == ALOE_KIND_ENUM && p->names[n])
		n++;
	return n;
}

static const struct row *find_row(const char *component, const char *param)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].component, component) && !strcmp(rows[i].param, param))
			return &rows[i];
	return NULL;
}

static inline unsigned variants(const char *name)
{
	struct mock m;
	unsigned n = 1;

	mock_open(&m, name);
	for (uint32_t i = 0; i < m.component->ports.len; i++) {
		const struct aloe_port *port = &m.component->ports.items[i];
		if (!port->output && type_count(port->types) > n)
			n = type_count(port->types);
	}
	for (uint32_t i = 0; i < m.component->params.len; i++)
		if (!find_row(name, m.component->params.items[i].name) &&
		    enum_count(&m.component->params.items[i]) > n)
			n = enum_count(&m.component->params.items[i]);
	mock_close(&m);
	return n;
}

static char scratch[128]; /* folder for what the sinks write */

/* A file to read, or one to write; of an address a socket of its own, without a peer. */
static inline void set_path(struct subject *s, const struct aloe_param *p)
{
	char path[256] = "waveforms/speech.wav";

	if (p->kind != ALOE_KIND_PATH || !s->mock.component->fill)
		snprintf(path, sizeof(path), "%s%s/%s-%p",
		    p->kind == ALOE_KIND_PATH ? "" : "ipc://", scratch, s->mock.name, (void *)s);
	assert_int_equal(mock_set(&s->mock, p->name, path), 0);
}

static inline void set_param(struct subject *s, const struct aloe_param *p, unsigned variant)
{
	static const float taps[] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
	const struct row *row = find_row(s->mock.name, p->name);
	char given[256];

	if (row && !row->value)
		return;
	if (given_value(p->name, given, sizeof(given)))
		assert_int_equal(mock_set(&s->mock, p->name, given), 0);
	else if (row)
		assert_int_equal(mock_set(&s->mock, p->name, row->value), 0);
	else if (p->kind == ALOE_KIND_ENUM)
		assert_int_equal(mock_set(&s->mock, p->name, p->names[variant % enum_count(p)]), 0);
	else if (p->kind == ALOE_KIND_REALS)
		mock_set_reals(&s->mock, p->name, taps, 5);
	else if (p->flags & ALOE_REQUIRED && !strcmp(p->name, "length"))
		assert_int_equal(mock_set(&s->mock, p->name, "100"), 0);
	else if ((p->kind == ALOE_KIND_PATH && p->flags & ALOE_REQUIRED) ||
	    !strcmp(p->name, "address"))
		set_path(s, p);
}

static inline void connect_input(
    struct subject *s, unsigned i, const struct aloe_port *port, unsigned variant)
{
	const struct row *row = find_row(s->mock.name, port->name);
	const uint32_t max = row ? (uint32_t)atoi(row->value) : MAX_ITEMS;

	mock_input(&s->mock, i, type_at(port->types, variant), max);
	s->messages[i] = calloc(max, 8);
}

/* subject_open opens, but does not start, a component with all connected, or what must be. */
static inline struct subject *subject_open(const char *name, unsigned variant, bool optional)
{
	struct subject *s = calloc(1, sizeof(*s));
	const struct aloe_port *port;

	mock_open(&s->mock, name);
	mock_radio(&s->mock, MAX_ITEMS, PACKET_ITEMS); /* for those that want one */
	s->mock.setup.alloc = failing_alloc;
	for (uint32_t i = 0; i < s->mock.component->params.len; i++)
		set_param(s, &s->mock.component->params.items[i], variant);
	for (unsigned i = 0; (port = mock_port(&s->mock, i, 0)); i++)
		if (optional || !(port->flags & ALOE_OPTIONAL))
			connect_input(s, i, port, variant);
	for (unsigned i = 0; (port = mock_port(&s->mock, i, 1)); i++)
		if (optional && port->flags & ALOE_OPTIONAL)
			mock_output(&s->mock, i, type_at(port->types, variant));
	s->watched = *s->mock.component;
	if (s->watched.work)
		s->watched.work = watched_work;
	s->mock.component = &s->watched;
	s->random = 1;
	return s;
}

static inline void subject_close(struct subject *s)
{
	mock_close(&s->mock);
	for (unsigned i = 0; i < INPUTS; i++)
		free(s->messages[i]);
	free(s);
}

static inline struct subject *subject_start(
    const char *name, unsigned variant, bool optional, unsigned *count)
{
	struct subject *s = subject_open(name, variant, optional);

	if (mock_start(&s->mock) == 0)
		return s;
	broken(count, name, "variant %u does not start: %s", variant, s->mock.setup.error);
	subject_close(s);
	return NULL;
}

/* ---- messages ---- */

enum message { FULL, SHORT, EMPTY, MISSING, IDLE, HOSTILE };

static inline uint32_t random_next(struct subject *s)
{
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(s->random >> 33);
}

static inline float make_float(struct subject *s, enum message kind)
{
	static const float hostile[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-42f, -0.0f, 1};

	if (kind == HOSTILE && random_next(s) % 4 == 0)
		return hostile[random_next(s) % 8];
	return (float)(int32_t)(random_next(s) << 1) * 0x1p-30f;
}

static inline void make_item(struct subject *s, uint32_t type, enum message kind, uint8_t *item)
{
	const uint64_t bits = random_next(s) | (uint64_t)random_next(s) << 31;
	const float pair[2] = {make_float(s, kind), make_float(s, kind)};

	if (type == ALOE_F32 || type == ALOE_CF32)
		memcpy(item, pair, aloe_item_bytes(type));
	else if (type == ALOE_BIT)
		*item = bits & 1;
	else
		memcpy(item, &bits, aloe_item_bytes(type));
}

static inline void give(struct subject *s, unsigned port, enum message kind)
{
	const uint32_t type = s->mock.format_in[port].type, size = aloe_item_bytes(type);
	const uint32_t max = s->mock.format_in[port].max,
	               part = SHORT_ITEMS < max ? SHORT_ITEMS : max / 2;
	const uint32_t len = kind == EMPTY ? 0 : kind == SHORT ? part : max;

	if (kind == MISSING || kind == IDLE) {
		mock_give_state(&s->mock, port, kind == IDLE ? ALOE_IDLE : ALOE_ABSENT);
		return;
	}
	for (uint32_t i = 0; i < len; i++)
		make_item(s, type, kind, s->messages[port] + (size_t)i * size);
	mock_give(&s->mock, port, s->messages[port], len);
}

static inline void hash_outputs(struct subject *s)
{
	for (unsigned i = 0; i < INPUTS; i++) {
		const struct aloe_out *out = &s->mock.out[i];
		s->hash = hash_bytes(s->hash, &out->state, sizeof(out->state));
		s->hash = hash_bytes(s->hash, &out->len, sizeof(out->len));
		if (out->len)
			s->hash = hash_bytes(s->hash, out->data,
			    (size_t)out->len * aloe_item_bytes(s->mock.format_out[i].type));
	}
	for (unsigned c = 0; c < MOCK_RADIO_CHANNELS; c++)
		s->hash = hash_bytes(s->hash, s->mock.radio.sent[c],
		    (size_t)s->mock.radio.n_sent[c] * MOCK_RADIO_IQ);
}

/* step runs one index with messages of one kind at all inputs; false at the end of a source. */
static inline bool step(struct subject *s, uint64_t index, enum message kind)
{
	int rc;

	for (unsigned i = 0; i < INPUTS; i++)
		if (s->mock.format_in[i].type)
			give(s, i, kind);
	s->mock.radio.lost = index % 5 == 3 ? 1 << 1 : 0; /* of four packets the second */
	s->mock.radio.room = index % 7 == 5 ? SHORT_ITEMS : MAX_ITEMS;
	driven = s;
	rc = mock_work(&s->mock, index);
	if (rc < 0)
		s->failed = rc;
	hash_outputs(s);
	return rc == 0 || (rc == ALOE_IO_LATER && s->mock.component->drain);
}

static inline enum message kind_at(uint64_t index)
{
	static const enum message kinds[INDICES] = {
	    FULL, FULL, SHORT, MISSING, FULL, EMPTY, FULL, IDLE, FULL, SHORT, SHORT, FULL};

	return kinds[index % INDICES];
}

static inline uint64_t run(struct subject *s)
{
	s->random = 7;
	s->hash = 0xcbf29ce484222325u;
	for (uint64_t k = 0; k < INDICES && step(s, k, kind_at(k)); k++)
		;
	return s->hash;
}

static inline int make_scratch(void **state)
{
	(void)state;
	snprintf(scratch, sizeof(scratch), "%.90s/aloe-contract-XXXXXX",
	    getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(scratch) ? 0 : -1;
}

static inline int remove_scratch(void **state)
{
	char pattern[160];
	glob_t found;

	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/*", scratch);
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
	globfree(&found);
	return rmdir(scratch);
}

#endif
