/* SPDX-License-Identifier: BSD-3-Clause
 * negate - a component in C++ of somebody else's: every item times -1, plus `offset`. */
#include <aloe/component.h>

#include <algorithm>

namespace
{

struct negate {
	int32_t offset;
	uint64_t items;
};

const aloe_port ports[] = {
    ALOE_IN("in", ALOE_I16, "items"),
    ALOE_OUT("out", ALOE_I16, "negated items"),
};

const aloe_param params[] = {
    ALOE_PARAM_INT(negate, offset, 0, -1000, 1000, "", ALOE_LIVE, "added to every item"),
};

const aloe_var vars[] = {
    ALOE_VAR_U64(negate, items, "items", "items so far"),
};

int negate_work(void *self, aloe_slot *slot)
{
	auto *negate = static_cast<struct negate *>(self);
	const int16_t *in = aloe_in_i16(slot, 0);
	const uint32_t n = aloe_pass(slot, 0, 0);

	std::transform(in, in + n, aloe_out_i16(slot, 0),
	    [=](int16_t item) { return static_cast<int16_t>(negate->offset - item); });
	negate->items += n;
	return 0;
}

} // namespace

ALOE_COMPONENT(negate) = {
    .summary = "change the sign of every item",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(negate),
    .work = negate_work,
};
