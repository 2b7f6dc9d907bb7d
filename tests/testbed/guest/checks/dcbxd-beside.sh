# SPDX-License-Identifier: ISC
# What no peer says and the configuration asks for: buffers, and rewriting,
# which this kernel may be too old for.
. /checks/daemons.sh
ends
config_takes A 'buffer { xoff = 100000 headroom = 60000 } rewrite = yes'
config_offers B
daemon B
daemon A
becomes 'A follows' A 20 "$TAKEN"
buffers() {
	in_a dcb buffer show dev dcb0 | tr '\n' ' '
}
want 'lossless priorities have a buffer' '0:0 1:0 2:0 3:1 4:0' buffers
want 'of that size' 'buffer-size 0:0b? 1:160000b? 2:0' buffers
want 'written once' 'setbuffer=1 ' device dcb0
case $(uname -r) in
[1-5].*|6.[0-2].*|6.[0-2]-*)
	becomes 'rewriting: the kernel is too old, and that is said' A 1 \
	    '.backends[0].error | test("rewrite: the kernel has no such")' ;;
*)	becomes 'rewriting: nothing to complain of' A 1 \
	    '.backends[0].error == null' ;;
esac
exits 'diff: none' 0 ctl_port A diff
settled
writes 'a restart' dcb0 '' daemon_again A
becomes 'A follows' A 5 "$TAKEN"
writes 'one priority more' dcb0 'setpfc+1 setbuffer+1' \
    ctl_port B set prio-pfc 4:on
want 'and it is in that buffer' '3:1 4:1 5:0' buffers
writes 'changed by dcb' dcb0 'setbuffer+1' \
    in_a dcb buffer set dev dcb0 prio-buffer 3:0
becomes 'drift' A 5 '.backends[0] | .state == "drift"'
exits 'which the diff names' 1 ctl_port A diff
daemon_end A
config_takes A 'buffer { xoff = 500000 headroom = 60000 }'
daemon A
becomes 'too large: partial, with the numbers' A 20 '.backends[0] |
    .state == "not-applied" and .reason.code == "partial" and
    (.error | test("500000 and headroom 60000 .* 524288"))'
want 'too large: not written' 'setbuffer=3 ' device dcb0
want 'nothing was refused' 'refused=0' device dcb0
daemon_end A
daemon_end B

# An adapter that its firmware owns, and a dry run: no write, and not in force.
ends
knob firmware 1
config_takes A
config_offers B
daemon B
daemon A --dry-run
becomes 'dry run: the firmware owns it' A 20 '.backends[0] |
    .state == "firmware" and .reason.code == "firmware-agent"'
knob firmware 0
daemon_end A
daemon_end B
