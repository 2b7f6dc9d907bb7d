#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The instruction gate of bench_dp.py as a test."""
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
os.execv(sys.executable, [sys.executable, f"{here}/bench_dp.py", "--gate"])
