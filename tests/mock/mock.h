/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/mock/mock.h - drive one component without a runtime: load it, set parameters, give it
 * messages, look at what it makes. Header-only; tests and benches share it. The component is loaded
 * from lib/aloe of the build folder that the test program itself lies in (BUILD/tests/ROOM/NAME),
 * so `make BUILD/lib/aloe/NAME.so` comes first; or from the folder $ALOE_CONTRACT, if that is set.
 *
 * 	struct mock m;
 *      mock_open(&m, "gain");                            // m.setup.simd: the best of this machine,
 *                                                        unless changed
 * 	mock_set(&m, "gain", "2.5");                       // text, as in a waveform file; 0 or -1
 *      mock_input(&m, 0, ALOE_CF32, 1000);                // connect input 0: type and most items
 *                                                         in a message
 *      assert_int_equal(mock_start(&m), 0);               // check, shape, init; else m.setup.error
 *                                                         says why
 *      mock_give(&m, 0, samples, 1000);                   // VALID message, not copied;
 *                                                         mock_give_state for the others
 *      assert_int_equal(mock_work(&m, 0), 0);             // index 0; I/O components: fill or drain
 *                                                         as well
 *      m.out[0].state, .len, .data                        // what came out, valid until the next
 *                                                         mock_work
 *         assert_int_equal(mock_set_live(&m, "taps", t, 9), 0); // another array, in force from the
 *         next mock_work on mock_close(&m);
 *
 * mock_radio(&m, 512, 200) before mock_start makes a radio the clock: slots of 512 samples in
 * packets of up to 200.
 *
 * Inputs and optional outputs are unconnected until mock_input and mock_output say otherwise; other
 * outputs are always connected. An input given nothing before mock_work is ABSENT. The mock stops
 * the program, with a message, if a component writes past its maximum or claims more items than
 * fit.
 */
#ifndef TESTS_MOCK_MOCK_H
#define TESTS_MOCK_MOCK_H

#include <aloe/component.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/simd.h"
#include "core/component/param.h"
#include "tests/mock/radio.h"

enum { MOCK_CANARY_BYTES = 64 };

struct mock_chunk {
	struct mock_chunk *next;
	_Alignas(64) uint8_t bytes[];
};

struct mock {
	void *library;
	const char *name;
	const struct aloe_component *component;
	uint8_t *state;
	struct aloe_setup setup;
	struct aloe_format format_in[ALOE_PORTS_MAX], format_out[ALOE_PORTS_MAX];
	struct aloe_in in[ALOE_PORTS_MAX];
	struct aloe_out out[ALOE_PORTS_MAX];
	struct aloe_record record; /* I/O components: the last one filled or drained */
	uint32_t slot_flags;       /* ALOE_SLOT_END of the last mock_work */
	/* set it: the next mock_work is for an index behind the waveform's last */
	bool after;
	const char *why;     /* slot->why of the last mock_work */
	uint64_t params_set; /* bit n: parameter n was set or has a default */
	size_t arena_bytes;  /* taken by init */
	bool prepared;
	struct mock_scratch { /* spoilt before each call of work */
		void *at;
		size_t size;
	} scratch[16];
	unsigned n_scratch;
	struct mock_old { /* arrays replaced since the last mock_work */
		const struct aloe_param *param;
		struct aloe_reals reals;
	} old[16];
	unsigned n_old;
	struct mock_radio radio; /* the clock, if mock_radio says so */
};

static inline void mock_die(const struct mock *m, const char *what, const char *detail)
{
	fprintf(stderr, "mock: %s: %s %s\n", m->name, what, detail);
	abort();
}

static inline void *mock_alloc(struct aloe_setup *setup, size_t size)
{
	struct mock *m = (struct mock *)((char *)setup - offsetof(struct mock, setup));
	const size_t total = (sizeof(struct mock_chunk) + size + 63) / 64 * 64;
	struct mock_chunk *chunk = (struct mock_chunk *)aligned_alloc(64, total);

	if (!chunk)
		return NULL;
	memset(chunk, 0, total);
	chunk->next = (struct mock_chunk *)setup->arena;
	setup->arena = chunk;
	m->arena_bytes += size;
	return chunk->bytes;
}

static inline void *mock_scratch(struct aloe_setup *setup, size_t size)
{
	struct mock *m = (struct mock *)((char *)setup - offsetof(struct mock, setup));
	void *at = setup->alloc(setup, size);

	if (m->n_scratch == sizeof(m->scratch) / sizeof(m->scratch[0]))
		mock_die(m, "more pieces of scratch memory than the mock has room for", "");
	if (at)
		m->scratch[m->n_scratch++] = (struct mock_scratch){at, size};
	return at;
}

/* mock_port gives port `n` of the inputs (output 0) or outputs (output 1), NULL past the last. */
static inline const struct aloe_port *mock_port(const struct mock *m, unsigned n, int output)
{
	for (uint32_t i = 0; i < m->component->ports.len; i++) {
		const struct aloe_port *port = &m->component->ports.items[i];
		if (port->output == output && n-- == 0)
			return port;
	}
	return NULL;
}

static inline const struct aloe_param *mock_param(const struct mock *m, const char *name)
{
	for (uint32_t i = 0; i < m->component->params.len; i++)
		if (!strcmp(m->component->params.items[i].name, name))
			return &m->component->params.items[i];
	mock_die(m, "no parameter", name);
	return NULL;
}

static inline int mock_set_number(struct mock *m, const struct aloe_param *p, double value)
{
	uint8_t *field = m->state + p->offset;
	const int64_t whole = (int64_t)value;
	const float single = (float)value;

	if (!(value >= p->min && value <= p->max))
		return -1;
	if (p->kind == ALOE_KIND_REAL)
		memcpy(field, p->size == 8 ? (const void *)&value : (const void *)&single, p->size);
	else
		/* little-endian hosts only: good enough for a test */
		memcpy(field, &whole, p->size);
	return 0;
}

static inline int mock_set_enum(struct mock *m, const struct aloe_param *p, const char *value)
{
	for (int32_t i = 0; p->names[i]; i++) {
		if (!strcmp(p->names[i], value)) {
			memcpy(m->state + p->offset, &i, sizeof(i));
			return 0;
		}
	}
	return -1;
}

/* mock_set writes a parameter from text; -1 if the descriptor does not allow the value. */
static inline int mock_set(struct mock *m, const char *name, const char *value)
{
	const struct aloe_param *p = mock_param(m, name);

	m->params_set |= 1ull << (p - m->component->params.items);
	switch (p->kind) {
	case ALOE_KIND_ENUM:
		return mock_set_enum(m, p, value);
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		return snprintf((char *)m->state + p->offset, p->size, "%s", value) < p->size ? 0
		                                                                              : -1;
	case ALOE_KIND_BOOL:
		m->state[p->offset] = !strcmp(value, "true");
		return 0;
	case ALOE_KIND_REALS:
		mock_die(m, "use mock_set_reals for", name);
		return -1;
	default:
		return mock_set_number(m, p, strtod(value, NULL));
	}
}

/* mock_set_reals points a REALS parameter to `data`, which must outlive the mock. */
static inline void mock_set_reals(struct mock *m, const char *name, const float *data, uint32_t len)
{
	const struct aloe_param *p = mock_param(m, name);
	const struct aloe_reals reals = {data, len, 1, NULL};

	m->params_set |= 1ull << (p - m->component->params.items);
	memcpy(m->state + p->offset, &reals, sizeof(reals));
}

/* mock_set_live replaces an ALOE_LIVE array of a started component, as `aloe set` does: `prepare`,
 * then the swap; what was there is released after the next mock_work. Negative: refused, with the
 * reason in m->setup.error. */
static inline int mock_set_live(struct mock *m, const char *name, const float *data, uint32_t len)
{
	const struct aloe_param *p = mock_param(m, name);
	struct aloe_reals *field = (struct aloe_reals *)(m->state + p->offset);
	struct aloe_reals next = {data, len, field->version + 1, NULL};
	int rc = 0;

	if (!param_is_live_array(p) || len > p->items_max ||
	    m->n_old == sizeof(m->old) / sizeof(m->old[0]))
		mock_die(m, "not live, too long, or set too often without mock_work:", name);
	if (m->component->prepare)
		rc = m->component->prepare(m->state, p, &next, &m->setup);
	if (rc < 0)
		return rc;
	m->old[m->n_old].param = p;
	m->old[m->n_old++].reals = *field;
	*field = next;
	return 0;
}

static inline void mock_release_old(struct mock *m)
{
	for (; m->n_old > 0; m->n_old--)
		if (m->component->release)
			m->component->release(
			    m->state, m->old[m->n_old - 1].param, &m->old[m->n_old - 1].reals);
}

static inline void mock_set_default(struct mock *m, const struct aloe_param *p)
{
	const double def = p->def;

	if (p->flags & ALOE_REQUIRED)
		return;
	m->params_set |= 1ull << (p - m->component->params.items);
	if (p->text)
		mock_set(m, p->name, p->text);
	else if (p->kind == ALOE_KIND_BOOL)
		m->state[p->offset] = def != 0;
	else if (p->kind == ALOE_KIND_REAL && def != def) { /* NaN: not set */
		const float single = (float)def;
		memcpy(m->state + p->offset,
		    p->size == 8 ? (const void *)&def : (const void *)&single, p->size);
	} else if (p->kind == ALOE_KIND_REAL || (p->kind == ALOE_KIND_INT && def == def))
		mock_set_number(m, p, def);
}

static inline void mock_open(struct mock *m, const char *name)
{
	char exe[4096] = "", path[4352], symbol[256];
	const char *folder = getenv("ALOE_CONTRACT");
	const struct aloe_entry *entry;

	*m = (struct mock){.name = name};
	if (folder)
		snprintf(path, sizeof(path), "%s/%s.so", folder, name);
	else if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		mock_die(m, "readlink /proc/self/exe:", strerror(errno));
	for (int up = 0; up < 3 && strrchr(exe, '/'); up++)
		*strrchr(exe, '/') = 0;
	if (!folder)
		snprintf(path, sizeof(path), "%s/lib/aloe/%s.so", exe, name);
	snprintf(symbol, sizeof(symbol), "aloe_component_%s", name);
	m->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!m->library)
		mock_die(m, "not built?", dlerror());
	entry = (const struct aloe_entry *)dlsym(m->library, symbol);
	if (!entry || entry->abi != ALOE_ABI)
		mock_die(m, "no entry of this ABI:", symbol);
	m->component = entry->component;
	m->state = (uint8_t *)aligned_alloc(64, (m->component->state_size + 64) / 64 * 64);
	memset(m->state, 0, m->component->state_size);
	m->setup = (struct aloe_setup){
	    .instance = name, .slot_ns = 10000000, .in = m->format_in, .out = m->format_out};
	m->setup.alloc = mock_alloc;
	m->setup.scratch = mock_scratch;
	m->setup.simd = simd_best();
	for (uint32_t i = 0; i < m->component->params.len; i++)
		mock_set_default(m, &m->component->params.items[i]);
}

/* mock_radio makes a radio the clock: samples of a slot, and of a packet. */
static inline void mock_radio(struct mock *m, uint32_t slot_samples, uint32_t packet)
{
	mock_radio_init(&m->radio, slot_samples, packet);
	m->setup.slot_samples = slot_samples;
}

/* mock_input connects input `port`: one item type, and the most items that a message will have. */
static inline void mock_input(struct mock *m, unsigned port, uint32_t type, uint32_t max)
{
	const struct aloe_port *p = mock_port(m, port, 0);

	if (!p || !(p->types & type) || !aloe_item_bytes(type))
		mock_die(m, "mock_input:", "no such port, or not a type that it takes");
	m->format_in[port] = (struct aloe_format){type, max};
}

/* mock_output connects an optional output, or gives the type of an output that takes several. */
static inline void mock_output(struct mock *m, unsigned port, uint32_t type)
{
	const struct aloe_port *p = mock_port(m, port, 1);

	if (!p || !(p->types & type) || !aloe_item_bytes(type))
		mock_die(m, "mock_output:", "no such port, or not a type that it makes");
	m->format_out[port].type = type;
}

/* mock_type_named gives the item type that a `type_param` names. */
static inline uint32_t mock_type_named(const struct mock *m, const char *param)
{
	static const char *const names[] = {"bit", "byte", "i16", "llr16", "f32", "cf32", "ci16"};
	const struct aloe_param *p = mock_param(m, param);
	int32_t value;

	memcpy(&value, m->state + p->offset, sizeof(value));
	for (uint32_t i = 0; i < 7; i++)
		if (!strcmp(p->names[value], names[i]))
			return 1u << i;
	mock_die(m, "names no item type:", p->names[value]);
	return 0;
}

static inline void mock_output_type(struct mock *m, unsigned port)
{
	const struct aloe_port *p = mock_port(m, port, 1);
	uint32_t type = p->types;

	if (m->format_out[port].type || (p->flags & ALOE_OPTIONAL))
		return;
	if (p->type_param)
		type = mock_type_named(m, p->type_param);
	for (unsigned i = 0; !aloe_item_bytes(type) && mock_port(m, i, 0); i++)
		if (mock_port(m, i, 0)->types == p->types)
			type = m->format_in[i].type;
	if (!aloe_item_bytes(type))
		mock_die(m, "say mock_output for", p->name);
	m->format_out[port].type = type;
}

static inline void mock_output_alloc(struct mock *m, unsigned port)
{
	const struct aloe_format *f = &m->format_out[port];
	const size_t size = (size_t)f->max * aloe_item_bytes(f->type);

	m->out[port].max = f->type ? f->max : 0;
	m->out[port].data = aligned_alloc(64, (size + MOCK_CANARY_BYTES + 63) / 64 * 64);
	memset(m->out[port].data, 0xa5, size + MOCK_CANARY_BYTES);
}

static inline void mock_record_alloc(struct mock *m)
{
	const struct aloe_format *f = m->component->fill ? &m->format_out[0] : &m->format_in[0];

	if (m->component->fill || m->component->drain) {
		m->record.max = f->max;
		m->record.data =
		    aligned_alloc(64, ((size_t)f->max * aloe_item_bytes(f->type) + 64) / 64 * 64);
	}
}

/* mock_start calls check, shape, init and prepare; the first negative answer is returned, its
 * reason in m->setup.error. */
static inline int mock_start(struct mock *m)
{
	const struct aloe_component *c = m->component;
	uint32_t max = 0;

	for (uint32_t i = 0; i < c->params.len; i++)
		if (!(m->params_set >> i & 1))
			return aloe_fail(
			    &m->setup, "parameter %s is required", c->params.items[i].name);
	for (unsigned i = 0; mock_port(m, i, 0); i++)
		max = m->format_in[i].max > max ? m->format_in[i].max : max;
	for (unsigned i = 0; mock_port(m, i, 1); i++) {
		mock_output_type(m, i);
		m->format_out[i].max = max;
	}
	m->setup.tail = c->tail;
	if ((c->check && c->check(m->state, &m->setup) < 0) ||
	    (c->shape && c->shape(m->state, &m->setup) < 0))
		return -1;
	for (unsigned i = 0; mock_port(m, i, 1); i++)
		mock_output_alloc(m, i);
	mock_record_alloc(m);
	if (m->setup.slot_samples)
		m->setup.radio = &m->radio.radio;
	if (c->init && c->init(m->state, &m->setup) < 0)
		return -1;
	m->prepared = param_prepare(c, m->state, &m->setup) >= 0;
	return m->prepared ? 0 : -1;
}

/* mock_give makes `len` items the VALID message of input `port` for the next mock_work. */
static inline void mock_give(struct mock *m, unsigned port, const void *data, uint32_t len)
{
	if (len > m->format_in[port].max)
		mock_die(m, "mock_give:", "more items than mock_input promised");
	m->in[port] = (struct aloe_in){data, len, ALOE_VALID};
}

static inline void mock_give_state(struct mock *m, unsigned port, enum aloe_state state)
{
	m->in[port] = (struct aloe_in){NULL, 0, (uint32_t)state};
}

static inline void mock_outputs_check(const struct mock *m)
{
	for (unsigned i = 0; mock_port(m, i, 1); i++) {
		const size_t size =
		    (size_t)m->format_out[i].max * aloe_item_bytes(m->format_out[i].type);
		for (size_t b = 0; b < MOCK_CANARY_BYTES; b++)
			if (((const uint8_t *)m->out[i].data)[size + b] != 0xa5)
				mock_die(m, "wrote past output", mock_port(m, i, 1)->name);
		if (m->out[i].len > m->out[i].max)
			mock_die(m, "claims more than fits in output", mock_port(m, i, 1)->name);
	}
	if (m->radio.wrong)
		mock_die(m, m->radio.wrong, "(the radio)");
}

/* mock_copy does what the engine does for an I/O component without work. */
static inline void mock_copy(struct mock *m)
{
	struct aloe_record *r = &m->record;

	if (m->component->fill) {
		memcpy(m->out[0].data, r->data,
		    (size_t)r->len * aloe_item_bytes(m->format_out[0].type));
		m->out[0].len = r->len;
		m->out[0].state = r->state;
	} else {
		r->len = m->in[0].len;
		r->state = m->in[0].state;
		if (r->len)
			memcpy(r->data, m->in[0].data,
			    (size_t)r->len * aloe_item_bytes(m->format_in[0].type));
	}
}

/* mock_fill asks a source for the record of `index`: 0, ALOE_FILL_END or negative. mock_work does
 * it by itself. */
static inline int mock_fill(struct mock *m, uint64_t index)
{
	m->record.index = index;
	m->record.len = 0;
	m->record.state = ALOE_VALID;
	return m->component->fill(m->state, &m->record, &m->setup);
}

/* mock_work runs one index; what work (or fill, or drain) returned. Inputs are ABSENT again
 * afterwards. A source at its end returns ALOE_FILL_END and has made nothing. */
static inline int mock_work(struct mock *m, uint64_t index)
{
	struct aloe_slot slot = {
	    .index = index, .in = m->in, .out = m->out, .flags = m->after ? ALOE_SLOT_AFTER : 0};
	int rc = m->component->fill ? mock_fill(m, index) : 0;

	for (unsigned i = 0; i < ALOE_PORTS_MAX; i++) {
		m->out[i].len = 0;
		m->out[i].state = ALOE_ABSENT;
	}
	for (unsigned i = 0; i < m->n_scratch; i++)
		for (size_t b = 0; b < m->scratch[i].size; b++)
			((uint8_t *)m->scratch[i].at)[b] = (uint8_t)(index * 37 + b * 181 + 0xa5);
	if (rc)
		return rc;
	m->record.index = index;
	if (m->setup.radio)
		mock_radio_slot(&m->radio, index);
	slot.record = m->record.data ? &m->record : NULL;
	if (m->component->work)
		rc = m->component->work(m->state, &slot);
	else
		mock_copy(m);
	mock_outputs_check(m);
	m->slot_flags = slot.flags & ALOE_SLOT_END;
	m->why = slot.why;
	memset(m->in, 0, sizeof(m->in));
	mock_release_old(m);
	if (rc >= 0 && m->component->drain)
		rc = m->component->drain(m->state, &m->record, &m->setup);
	return rc;
}

/* mock_var reads a variable by name, as a number. */
static inline double mock_var(const struct mock *m, const char *name)
{
	for (uint32_t i = 0; i < m->component->vars.len; i++) {
		const struct aloe_var *var = &m->component->vars.items[i];
		const void *field = m->state + var->offset;
		if (!strcmp(var->name, name))
			return var->real ? *(const double *)field
			                 : (double)*(const uint64_t *)field;
	}
	mock_die(m, "no variable", name);
	return 0;
}

/* mock_close ends the component and frees everything, also after a failed start; what close
 * returned. */
static inline int mock_close(struct mock *m)
{
	int rc;

	mock_release_old(m);
	if (m->prepared)
		param_release(m->component, m->state, m->component->params.len);
	rc = m->component->close ? m->component->close(m->state, &m->setup) : 0;
	while (m->setup.arena) {
		struct mock_chunk *chunk = (struct mock_chunk *)m->setup.arena;
		m->setup.arena = chunk->next;
		free(chunk);
	}
	for (unsigned i = 0; i < ALOE_PORTS_MAX; i++)
		free(m->out[i].data);
	free(m->record.data);
	mock_radio_fini(&m->radio);
	free(m->state);
	dlclose(m->library);
	return rc;
}

#endif
