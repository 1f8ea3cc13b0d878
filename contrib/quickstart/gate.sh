#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gate.sh FILE COMMAND...: runs COMMAND as soon as FILE exists.
set -u
until [ -e "$1" ]; do
	sleep 0.5
done
exec "${@:2}"
