#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxd and lldpad 1.1.1 in CIN; see lldpad_legacy.py."""
import lldpad_legacy

lldpad_legacy.Test("cin").run()
