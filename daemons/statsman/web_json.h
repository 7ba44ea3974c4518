/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/web_json.h - out of a report what the page shows. Pure: JSON in, JSON out; a
 * report may be malformed, as one of another node may be.
 */
#ifndef ALOE_STATSMAN_WEB_JSON_H
#define ALOE_STATSMAN_WEB_JSON_H

#include "core/json/json.h"
#include "daemons/statsman/web_route.h"

/* NULL: no memory, or what is wrong, in ret_why. */
json_t *web_graph_json(const json_t *report, char ret_why[WEB_WHY]);
json_t *web_histograms_json(const json_t *report);

/* web_second_json: what the second between two reports of a waveform was like. `before`: NULL:
 * there was no look before; one of another load of this name is none. Text of it has at most `most`
 * bytes: what would be more is left out, of values, instances, causes, misses, lanes and the reason
 * the first ones first, and "left_out" names it. */
json_t *web_second_json(const json_t *before, const json_t *report, double seconds, size_t most);
/* web_list_json: the waveforms of a LIST, in short; the ones that have no room in `most` bytes are
 * left out. */
json_t *web_list_json(const json_t *list, size_t most, size_t *ret_left_out);
size_t web_size(const json_t *json); /* bytes of its text */

#endif
