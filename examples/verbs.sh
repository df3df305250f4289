# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Small verbs in which git histories are written. Source it, then say what happened:
#
#   . examples/verbs.sh
#   repo up
#     base40 f.cpp                        ; commit B "tile: the first version"
#   fork up down
#     line f.cpp 9 "line 9 DOWN"          ; commit D "fork: own line 9"
#   at up
#     line f.cpp 10 "line 10 FIX"         ; commit X "tile: fix line 10"
#
# Same script, same ids, on every machine: identity, dates and git configuration are fixed here.
# Every commit is 60 s later than the one before. TEXT goes through `printf %b` (`\n`, `\xe9`).
# A NAME is given once, in any repository; `id NAME` prints its commit. `-` as NAME forgets it.
#
#   repo NAME                    new repository, branch main, entered; authors take turns (an upstream)
#   fork FROM NAME [REV]         new repository that starts at REV (default main) of FROM; one author
#   at NAME                      enter a repository
#   put PATH TEXT                whole file; without TEXT from stdin (a here-document, taken as it is)
#   copy SRC PATH                a file from outside
#   base40 PATH                  "line 1" ... "line 40"
#   line PATH N TEXT             replace line N
#   insert PATH N TEXT           new line(s) after line N
#   cut_lines PATH FROM TO       delete lines FROM to TO
#   append PATH TEXT             bytes at the end
#   swap PATH OLD NEW            replace OLD, which must stand there exactly once
#   drop PATH / move A B         delete / rename
#   runnable PATH [no]           set (clear) the executable bit
#   symlink PATH TARGET
#   gitlink PATH OID             a submodule link
#   commit NAME SUBJECT [BODY]   everything in the work tree
#   empty_commit NAME SUBJECT [BODY]
#   revert_of NAME COMMIT [SUBJECT]       git revert, with "This reverts commit <id>."
#   pick_by_hand NAME COMMIT [SUBJECT]    git cherry-pick -x, from whichever repository has COMMIT;
#                                         with SUBJECT under another subject and without the -x line
#   merge_branch NAME BRANCH [SUBJECT]    merge commit, never a fast-forward
#   branch NAME [REV] / on NAME  create and enter a branch / enter it
#   rewind N                     forget the last N commits of the branch
#   push_bare NAME               all branches into the bare repository NAME.git (forced)
#   author NAME EMAIL            for the commits that follow; without arguments back to the default
#   encoding NAME                i18n.commitEncoding for the commits that follow; none = UTF-8;
#                                `raw` = the bytes as given and no header (git alone would repair them)
#   id NAME / tree NAME / rev X  commit id / tree id of a named commit / id of a name or git revision

VERBS_ROOT=${VERBS_ROOT:-$PWD}
VERBS_STATE=$VERBS_ROOT/.verbs
VERBS_IDS=${VERBS_IDS:-$VERBS_STATE/ids}  # lines: NAME COMMIT TREE REPOSITORY
VERBS_EPOCH=1767571200                    # 2026-01-05 00:00:00 UTC

unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES \
  GIT_NAMESPACE GIT_COMMON_DIR GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_EDITOR \
  GIT_DEFAULT_HASH GIT_TEMPLATE_DIR GIT_ATTR_SOURCE GIT_AUTHOR_DATE GIT_COMMITTER_DATE XDG_CONFIG_HOME
# HOME too: git reads $HOME/.config/git/attributes and ignore whatever GIT_CONFIG_GLOBAL says.
export HOME=$VERBS_STATE/home GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 \
  GIT_TERMINAL_PROMPT=0 LC_ALL=C TZ=UTC \
  GIT_AUTHOR_NAME=verbs GIT_AUTHOR_EMAIL=verbs@example.com \
  GIT_COMMITTER_NAME=verbs GIT_COMMITTER_EMAIL=verbs@example.com  # commit overrides them
umask 022
mkdir -p "$HOME"
[ -e "$VERBS_STATE/clock" ] || echo 0 >"$VERBS_STATE/clock"
[ -e "$VERBS_IDS" ] || : >"$VERBS_IDS"

verbs_upstream_authors=(
  'Ada Brandt <ada@tile.example>' 'Bo Lindqvist <bo@tile.example>' 'Chidi Okafor <chidi@tile.example>'
  'Dana Weiss <dana@tile.example>' 'Emre Aydin <emre@tile.example>')
verbs_fork_author='Fay Forker <fay@fork.example>'
verbs_author=
verbs_encoding=

verbs_fail() {
  echo "verbs: $*" >&2
  exit 1
}

# Names ----------------------------------------------------------------------------------------------
verbs_lookup() {  # NAME FIELD(2 commit, 3 tree, 4 repository); prints nothing when unknown
  awk -v n="$1" -v f="$2" '$1 == n { print $f }' "$VERBS_IDS"
}
id() {
  local found
  found=$(verbs_lookup "$1" 2)
  [ -n "$found" ] || verbs_fail "no commit is named '$1'"
  echo "$found"
}
tree() {
  local found
  found=$(verbs_lookup "$1" 3)
  [ -n "$found" ] || verbs_fail "no commit is named '$1'"
  echo "$found"
}
rev() {
  local found
  found=$(verbs_lookup "$1" 2)
  [ -n "$found" ] || found=$(git rev-parse --verify --quiet "$1^{commit}") ||
    verbs_fail "'$1' is neither a named commit nor a revision of $(basename "$PWD")"
  echo "$found"
}
verbs_remember() {
  [ "$1" = - ] && return 0
  case $1 in *[[:space:]]* | '') verbs_fail "'$1' cannot be a name" ;; esac
  echo "$1 $(git rev-parse HEAD 'HEAD^{tree}' | tr '\n' ' ')$(basename "$PWD")" >>"$VERBS_IDS"
}
verbs_unused() {
  [ "$1" = - ] || [ -z "$(verbs_lookup "$1" 2)" ] || verbs_fail "a commit is named '$1' already"
}

# Repositories ---------------------------------------------------------------------------------------
verbs_init() {
  [ ! -e "$VERBS_ROOT/$1" ] || verbs_fail "$VERBS_ROOT/$1 exists already"
  git init -q -b main --template= "$VERBS_ROOT/$1"
  cd "$VERBS_ROOT/$1" || verbs_fail "cannot enter $1"
  printf '%s\n' '[core]' 'autocrlf = false' 'hooksPath = /dev/null' '[gc]' 'auto = 0' '[verbs]' \
    "side = $2" '[uploadpack]' 'allowAnySHA1InWant = true' '[advice]' 'detachedHead = false' >>.git/config
}
repo() { verbs_init "$1" upstream; }
fork() {
  local start
  verbs_init "$2" fork
  start=$(cd "$VERBS_ROOT/$1" && rev "${3:-main}")
  git fetch -q "$VERBS_ROOT/$1" "$start"
  git reset -q --hard "$start"
}
at() { cd "$VERBS_ROOT/$1" || verbs_fail "no repository is named '$1'"; }
branch() { git checkout -q -b "$1" "$(rev "${2:-HEAD}")"; }
on() { git checkout -q "$1"; }
rewind() { git reset -q --hard "HEAD~$1"; }
push_bare() {
  local bare=$VERBS_ROOT/$1.git
  if [ ! -e "$bare" ]; then
    git init -q --bare -b main --template= "$bare"
    printf '%s\n' '[gc]' 'auto = 0' '[uploadpack]' 'allowAnySHA1InWant = true' >>"$bare/config"
  fi
  git push -q --force --all "$bare"
}

# Files ----------------------------------------------------------------------------------------------
verbs_parent() { case $1 in */*) mkdir -p "${1%/*}" ;; esac; }
verbs_need() { [ -f "$1" ] || verbs_fail "no file '$1' in $(basename "$PWD")"; }
verbs_need_line() {  # PATH N
  local lines
  verbs_need "$1"
  lines=$(awk 'END { print NR }' "$1")
  [ "$2" -ge 1 ] && [ "$2" -le "$lines" ] || verbs_fail "'$1' has $lines lines, so no line $2"
}
put() {
  verbs_parent "$1"
  if [ $# -ge 2 ]; then printf %b "$2" >"$1"; else cat >"$1"; fi
}
copy() {
  verbs_parent "$2"
  cp "$1" "$2"
}
base40() {
  verbs_parent "$1"
  seq -f 'line %.0f' 1 40 >"$1"
}
verbs_rewrite() {  # PATH: new bytes from stdin, mode kept
  local new=$VERBS_STATE/new
  cat >"$new"
  cat "$new" >"$1"
}
line() {
  verbs_need_line "$1" "$2"
  { head -n "$(($2 - 1))" "$1" && printf '%b\n' "$3" && tail -n "+$(($2 + 1))" "$1"; } | verbs_rewrite "$1"
}
insert() {
  verbs_need "$1"
  [ "$2" -eq 0 ] || verbs_need_line "$1" "$2"
  { head -n "$2" "$1" && printf '%b\n' "$3" && tail -n "+$(($2 + 1))" "$1"; } | verbs_rewrite "$1"
}
cut_lines() {
  verbs_need_line "$1" "$2"
  verbs_need_line "$1" "$3"
  { head -n "$(($2 - 1))" "$1" && tail -n "+$(($3 + 1))" "$1"; } | verbs_rewrite "$1"
}
append() {
  verbs_need "$1"
  printf %b "$2" >>"$1"
}
swap() {
  verbs_need "$1"
  OLD=$(printf '%b.' "$2") NEW=$(printf '%b.' "$3") perl -e '
    my ($path) = @ARGV;
    my ($old, $new) = map { substr $_, 0, -1 } @ENV{qw(OLD NEW)};  # the dot kept final newlines
    open my $in, "<:raw", $path or die "$path: $!\n";
    local $/;
    my $text = <$in>;
    my $count = () = $text =~ /\Q$old\E/g;
    die "verbs: the text to swap stands $count times in $path, not once: $old\n" if $count != 1;
    my $at = index $text, $old;
    substr($text, $at, length $old) = $new;
    open my $out, ">:raw", $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n"' "$1" || exit 1
}
drop() { rm -r -- "$1"; }
move() {
  verbs_parent "$2"
  mv -- "$1" "$2"
}
runnable() {
  verbs_need "$1"
  if [ "${2:-yes}" = no ]; then chmod 644 "$1"; else chmod 755 "$1"; fi
}
symlink() {
  verbs_parent "$1"
  ln -sfn -- "$2" "$1"
}
gitlink() {
  mkdir -p "$1"  # an empty directory: `git add` then leaves the link alone
  git update-index --add --cacheinfo "160000,$2,$1"
}

# Commits --------------------------------------------------------------------------------------------
author() { verbs_author=${1:+$(printf %b "$1") <${2:-unknown@example.com}>}; }
encoding() { verbs_encoding=${1:-}; }
verbs_tick() {  # sets `now`: 60 s after the commit before, whichever shell made it
  local n
  read -r n <"$VERBS_STATE/clock"
  echo "$((n + 1))" >"$VERBS_STATE/clock"
  now=$((VERBS_EPOCH + 60 * n))
}
verbs_write_commit() {  # NAME MESSAGE [git commit options...]; author and date from who/when when set
  local name=$1 message=$2 now
  shift 2
  verbs_tick
  local me=${verbs_author:-$verbs_fork_author}
  if [ -z "$verbs_author" ] && [ "$(git config verbs.side)" = upstream ]; then
    me=${verbs_upstream_authors[$(((now - VERBS_EPOCH) / 60 % ${#verbs_upstream_authors[@]}))]}
  fi
  who=${who:-$me}
  printf %b "$message" >"$VERBS_STATE/message"
  GIT_AUTHOR_NAME=${who% <*} GIT_AUTHOR_EMAIL=$(email=${who##*<} && echo "${email%>}") \
    GIT_AUTHOR_DATE=${when:-@$now +0000} GIT_COMMITTER_DATE="@$now +0000" \
    GIT_COMMITTER_NAME=${me% <*} GIT_COMMITTER_EMAIL=$(email=${me##*<} && echo "${email%>}") \
    git -c "i18n.commitEncoding=$(verbs_header)" commit -q --no-verify \
    --cleanup=verbatim -F "$VERBS_STATE/message" "$@" 2>"$VERBS_STATE/said" >&2 ||
    verbs_fail "cannot commit '$name' in $(basename "$PWD"): $(git status --short | head -5) $(cat "$VERBS_STATE/said")"
  [ "$verbs_encoding" != raw ] || verbs_keep_bytes "$who" "${when:-@$now +0000}" "$me" "$now"
  verbs_remember "$name"
}
verbs_keep_bytes() {  # AUTHOR AUTHOR_DATE COMMITTER SECONDS: writes HEAD again, byte for byte as asked
  local oid
  oid=$({
    git cat-file commit HEAD | sed -n -e '/^author /q' -e p
    printf 'author %s %s\ncommitter %s %s +0000\n\n' "$1" "${2#@}" "$3" "$4"
    cat "$VERBS_STATE/message"
  } | git hash-object -t commit -w --stdin)
  git reset -q --soft "$oid"
}
verbs_message() { printf '%s%s\\n' "$1" "${2:+\\n\\n$2}"; }
commit() {
  local who='' when=''
  verbs_unused "$1"
  git add -A -f .
  ! git diff --cached --quiet || verbs_fail "commit '$1' ($2) would change nothing"
  verbs_write_commit "$1" "$(verbs_message "$2" "${3:-}")"
}
empty_commit() {
  local who='' when=''
  verbs_unused "$1"
  verbs_write_commit "$1" "$(verbs_message "$2" "${3:-}")" --allow-empty
}
verbs_bring() {  # COMMIT: prints its id, fetched from its repository when it is not here yet
  local oid from
  oid=$(rev "$1") || exit 1
  if ! git cat-file -e "$oid^{commit}" 2>/dev/null; then
    from=$(verbs_lookup "$1" 4)
    git fetch -q "$VERBS_ROOT/$from" "$oid" >&2
  fi
  echo "$oid"
}
verbs_header() { if [ "$verbs_encoding" = raw ]; then echo UTF-8; else echo "${verbs_encoding:-UTF-8}"; fi; }
verbs_escape() { printf %s "${1//\\/\\\\}"; }
revert_of() {
  local who='' when='' oid subject
  verbs_unused "$1"
  oid=$(verbs_bring "$2")
  subject=${3:-Revert \"$(verbs_escape "$(git log -1 --format=%s "$oid")")\"}
  git revert --no-commit "$oid" >"$VERBS_STATE/said" 2>&1 || verbs_fail "the revert of '$2' has a conflict: write it with put and commit"
  verbs_write_commit "$1" "$(verbs_message "$subject" "This reverts commit $oid.")"
}
pick_by_hand() {
  local who='' when='' oid message
  verbs_unused "$1"
  oid=$(verbs_bring "$2")
  git cherry-pick --no-commit "$oid" >"$VERBS_STATE/said" 2>&1 || verbs_fail "the pick of '$2' has a conflict: write it with put and commit"
  who=$(git log -1 --format='%an <%ae>' "$oid")
  when=$(git log -1 --format=%ad --date=raw "$oid")
  when=@$when
  if [ $# -ge 3 ]; then
    message=$(verbs_message "$3")
  else
    message="$(verbs_escape "$(git log -1 --format=%B "$oid")")\\n\\n(cherry picked from commit $oid)\\n"
  fi
  verbs_write_commit "$1" "$message"
}
merge_branch() {
  local who='' when=''
  verbs_unused "$1"
  git merge -q --no-ff --no-commit "$2" >"$VERBS_STATE/said" 2>&1 || verbs_fail "the merge of '$2' has a conflict: write it with put and commit"
  verbs_write_commit "$1" "$(verbs_message "${3:-Merge branch \'$2\'}")" --allow-empty
}
