#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe keys: what is made, printed, allowed, revoked and refused.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(cd "${B:-build}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh

# says STATUS WORDS ARGUMENT...: aloe keys, as of node a.
folder=$work/a
says() {
	want=$1 words=$2
	shift 2
	"$B/bin/aloe" keys "$@" --keys "$folder" >"$work/out" 2>&1 </dev/null
	[ $? = "$want" ] && grep -qF -e "$words" "$work/out"
}
key_of() { sed -n 's/^  public key   //p' "$work/out" | sed -n "${1:-1}p"; }
mode() { stat -c %a "$1"; }

ok "nothing yet" says 0 'this node has no key; `aloe keys new NODE` makes one' list
ok "and nobody is allowed" grep -q "no other node is allowed" "$work/out"
ok "a listing makes nothing" test ! -e "$folder"
ok "a key is made" says 0 "created $folder/node.key, closed to other users" new a
ok "its public key is printed, to be given to others" grep -qF "aloe keys allow a '$(key_of)'" "$work/out"
secret=$(sed -n 's/^secret //p' "$folder/node.key")
ok "its secret key is not" sh -c "! grep -qF -e '$secret' '$work/out'"
ok "of 40 characters" test ${#secret} = 40
ok "the file is closed" test "$(mode "$folder/node.key")" = 600
ok "and its folder" test "$(mode "$folder")" = 700
a=$(key_of)
ok "no second key" says 2 "node.key: there is a key already; --force replaces it" new a
ok "unless it is wanted" says 0 "created" new a --force
ok "which is another" test "$(key_of)" != "$a"
ok "no name of a node" says 2 '"a-b" is no name of a node; a name is a letter' new a-b --force

folder=$work/b
ok "another node" says 0 "created" new b
b=$(key_of)
fingerprint=$(sed -n 's/^  fingerprint  //p' "$work/out")
folder=$work/a
ok "is allowed" says 0 "$fingerprint" allow b "$b"
ok "which is listed" says 0 "1 allowed node" list
ok "with its key" test "$(key_of 2)" = "$b"
ok "and its fingerprint" grep -qF "$fingerprint" "$work/out"
ok "no secret is listed" sh -c "! grep -qF -e '$(sed -n 's/^secret //p' "$folder/node.key")' '$work/out'"
ok "twice is once" says 0 "allowed node" allow b "$b"
ok "another name for it" says 2 'node "c" has the same key as node "b"' allow c "$b"
ok "another key for it" says 2 'node "b" has another key; `aloe keys revoke b` removes it first' allow b "$a"
ok "no key" says 2 "the key has 3 characters and is no key; a key is 40 characters of Z85" allow c abc
ok "a key that begins with a dash" sh -c "'$B/bin/aloe' keys allow --keys '$folder' -- d '-$(echo "$a" | cut -c2-)'"
ok "that everybody has" says 2 "a test key that the manual of ZeroMQ prints" allow c "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
ok "revoked" says 0 "revoked b" revoke b
ok "is not there any more" says 2 'no node "b"' revoke b

echo "e $b x" >>"$folder/allowed"
echo "f short" >>"$folder/allowed"
lines=$(wc -l <"$folder/allowed")
ok "a wrong list: the line" says 2 "allowed:$((lines - 1)): the line has more than two words" list
ok "all of its lines" grep -qF "allowed:$lines: the key has 5 characters" "$work/out"
chmod 644 "$folder/node.key"
ok "a key that others can read" says 2 "node.key: other users may read or write the file (mode 0644)" list
ok "and the list too" grep -qF "allowed:$lines:" "$work/out"

ok "a verb that is none" says 2 '`make` is unknown; allowed are: new list allow revoke' make a
ok "no node" says 2 '`new` needs NODE' new
ok "no key of it" says 2 '`allow` needs NODE KEY' allow b
ok "more than that" says 2 '`list` needs no further argument' list b
ok "--force elsewhere" says 2 "--force is an option of" revoke d --force
ok "the state folder has the keys" sh -c "'$B/bin/aloe' keys new s --state '$work/state' && test -f '$work/state/keys/node.key'"
ok "the help has it all" sh -c "'$B/bin/aloe' help keys | grep -q 'keys revoke NODE'"
exit $failed
