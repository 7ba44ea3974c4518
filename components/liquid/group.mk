# SPDX-License-Identifier: BSD-3-Clause
LIBS_liquid := -lliquid
