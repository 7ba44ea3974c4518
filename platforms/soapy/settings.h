/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/soapy/settings.h - the keys of `type = "soapy"` in a radio file.
 */
#ifndef PLATFORMS_SOAPY_SETTINGS_H
#define PLATFORMS_SOAPY_SETTINGS_H

#include "core/platform/radio.h"

enum soapy_direction { SOAPY_RX, SOAPY_TX, SOAPY_BOTH };

struct soapy_settings {
	const char *args, *antenna, *tx_antenna;
	struct radio_numbers channels;
	struct radio_numbers frequency, gain, bandwidth;          /* NaN: as the device has it */
	struct radio_numbers tx_frequency, tx_gain, tx_bandwidth; /* NaN: as for reception */
	int direction;
	int64_t tx_advance; /* samples; -1: at once */
	double patience_ms;
};

enum { SOAPY_KEYS = 13 };
extern const struct radio_key soapy_keys[SOAPY_KEYS];
extern const char soapy_manual[];

void soapy_check(void *settings, const struct radio_check *check);

#endif
