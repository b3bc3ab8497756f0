#!/usr/bin/env bash
# Runs a task on a svc server and waits for it. Prints its events on stderr and its answer on stdout, and exits as `svc run` does.
# Needs bash, curl and jq. All input is in the environment, see docs/ci.md.
set -euo pipefail

fail() {
  printf 'svc: %s\n' "$2" >&2
  exit "$1"
}

[[ ${SVC_URL:-} =~ ^https?://[^@[:space:]]+$ ]] || fail 2 'SVC_URL has to be the address of the server, such as https://svc.example.com'
[[ -n ${SVC_TOKEN:-} ]] || fail 2 'SVC_TOKEN is empty: is the secret set, and may this job read it?'
[[ -n ${SVC_PROMPT:-} ]] || fail 2 'SVC_PROMPT is empty: say what to do'
[[ ${SVC_TIMEOUT:=30m} =~ ^([0-9]{1,5})([smh]?)$ ]] || fail 2 'SVC_TIMEOUT has to be a duration such as 90s, 30m or 2h'
case ${BASH_REMATCH[2]} in m) unit=60 ;; h) unit=3600 ;; *) unit=1 ;; esac
timeout_s=$((10#${BASH_REMATCH[1]} * unit))
[[ ${SVC_ON_APPROVAL:=fail} =~ ^(fail|wait)$ ]] || fail 2 'SVC_ON_APPROVAL has to be fail or wait'

base=${SVC_URL%/}
token=${SVC_TOKEN//[$'\r\n\t ']/}
work=$(mktemp -d)
mark=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
id=''
# While the task is created, a signal waits for its id.
is_creating=''
stop_code=''

# What an agent says could look like a command to the runner of GitHub.
if [[ ${GITHUB_ACTIONS:-} == true ]]; then printf '::stop-commands::%s\n' "$mark"; fi
finish() {
  rm -rf "$work"
  if [[ ${GITHUB_ACTIONS:-} == true ]]; then printf '\n::%s::\n' "$mark"; fi
}
trap finish EXIT

# Sends one request; its status is in $status, and the answer in $work/answer. The token is in no argument, which others could see.
send() {
  local method=$1 path=$2
  shift 2
  : >"$work/answer"
  : >"$work/headers"
  status=$(curl --silent --show-error --connect-timeout 10 --max-time 60 --request "$method" \
    --header @<(printf 'authorization: Bearer %s\naccept: application/json\n' "$token") \
    --output "$work/answer" --dump-header "$work/headers" --write-out '%{http_code}' "$@" -- "$base$path") || status=000
}

# Sends a request again for a minute where there is no answer, or one that asks to wait.
request() {
  local until=$((SECONDS + 60))
  while send "$@"; do
    case $status in
      000 | 429 | 502 | 503 | 504) ;;
      *) return ;;
    esac
    if [[ $status == 503 ]] && ! grep -qi '^retry-after:' "$work/headers" && jq -e .error "$work/answer" >"$work/ignored" 2>&1; then return; fi
    if ((SECONDS >= until)) || [[ -n $stop_code ]]; then return; fi
    pause 2
  done
}

# Waits so that a signal is handled at once.
pause() { sleep "$1" & wait $!; }

require() {
  case $status in
    2??) jq -e 'type == "object"' "$work/answer" >"$work/ignored" 2>&1 && return ;;
  esac
  local text
  text=$(jq -r '[.error, (.details // [] | .[] | "\(.path): \(.message)")] | map(select(. != null)) | join("; ")' "$work/answer" 2>"$work/ignored") || text=''
  text=$(printf '%s' "${text:-HTTP $status}" | tr -d '\000-\010\013-\037\177')
  case $status in
    000) fail 69 "no answer from $base" ;;
    401 | 403) fail 4 "$text. Check the token and its scopes: svc tokens ls" ;;
    404) fail 5 "$text" ;;
    429 | 507) fail 75 "$text" ;;
    503) if grep -qi '^retry-after:' "$work/headers"; then fail 75 "$text"; elif jq -e .details "$work/answer" >"$work/ignored" 2>&1; then fail 78 "$text"; else fail 1 "$text"; fi ;;
    4??) fail 6 "$text" ;;
    *) fail 1 "the answer is not one of svc: $text" ;;
  esac
}

cancel() {
  if [[ -n $id ]]; then send POST "/api/tasks/$id/cancel"; fi
}
stop() {
  stop_code=$1
  if [[ -n $is_creating ]]; then return; fi
  printf 'svc: cancelling\n' >&2
  cancel
  exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM

jq -n '
  def optional($key; $name; convert): ($ENV[$name] // "") | if . == "" then {} else {($key): convert} end;
  ($ENV.SVC_PROMPT | split("\n") | map(select(test("\\S"))) | first // "Task" | .[:200]) as $line
  | { title: $line, prompt: $ENV.SVC_PROMPT, attached: true }
    + optional("title"; "SVC_TITLE"; .)
    + optional("assignedAgent"; "SVC_AGENT"; .)
    + optional("model"; "SVC_MODEL"; .)
    + optional("repository"; "SVC_REPOSITORY"; .)
    + optional("sourceUrl"; "SVC_SOURCE_URL"; .)
    + optional("labels"; "SVC_LABELS"; split(",") | map(gsub("^\\s+|\\s+$"; "")))
    + optional("maxCostUsd"; "SVC_MAX_COST_USD"; .)
    + optional("maxBudget"; "SVC_MAX_TOKENS"; tonumber)
' >"$work/task" || fail 2 'SVC_MAX_TOKENS has to be a number'

started=$SECONDS
is_creating=yes
request POST /api/tasks --header 'content-type: application/json' --header "idempotency-key: ${SVC_IDEMPOTENCY_KEY:-$mark}" --data-binary "@$work/task"
require
id=$(jq -r '.task.id // ""' "$work/answer")
[[ $id =~ ^[A-Za-z0-9_-]+$ ]] || fail 1 'the answer is not one of svc'
is_creating=''
if [[ -n $stop_code ]]; then stop "$stop_code"; fi
printf 'svc: task %s created\n' "$id" >&2

seen=0
is_timeout=''
while :; do
  request GET "/api/tasks/$id/events?after=$seen&limit=1000"
  require
  jq -r '.events[] | "\(.at[11:19]) \(.type) \(.message)" | gsub("[\\x00-\\x09\\x0b-\\x1f\\x7f\\x{80}-\\x{9f}]"; "")' "$work/answer" >&2
  seen=$(jq -r --argjson seen "$seen" '.events | last | .seq // $seen' "$work/answer")
  if [[ $SVC_ON_APPROVAL == fail ]] && jq -e '.events | map(select(.type | test("^approval_"))) | last | .type == "approval_requested"' "$work/answer" >"$work/ignored"; then
    fail 9 "an approval is needed; the task waits for it. See: svc approvals ls"
  fi
  if jq -e '.hasMore' "$work/answer" >"$work/ignored"; then continue; fi
  if [[ -s $work/end ]]; then break; fi
  request GET "/api/tasks/$id"
  require
  # Its last events are read once more.
  if jq -e '.task.status | IN("completed", "failed", "cancelled")' "$work/answer" >"$work/ignored"; then
    cp "$work/answer" "$work/end"
    continue
  fi
  if ((SECONDS - started >= timeout_s)); then
    printf 'svc: stopped after %s (SVC_TIMEOUT)\n' "$SVC_TIMEOUT" >&2
    is_timeout=yes
    request POST "/api/tasks/$id/cancel"
    # 400: it finished first.
    if [[ $status != 400 ]]; then require; fi
    continue
  fi
  pause 2
done

code=$(jq -r --arg timeout "$is_timeout" '.task |
  if .status == "completed" then (if .result.refusedCalls then 9 else 0 end)
  elif .status == "cancelled" then (if $timeout == "" then 3 else 124 end)
  elif .error.class == "verify_failed" then 7
  elif .error.class == "budget" then 10
  elif .error.class == "timeout" and .error.code == "max_time" then 124
  elif .error.code == "not_configured" then 78
  elif .error.class == "policy_denied" then 4
  else 1 end' "$work/end")
state=$(jq -r '.task.status' "$work/end")
reason=$(jq -r '.task.error.message // "" | gsub("[\\x00-\\x1f\\x7f\\x{80}-\\x{9f}]"; " ")' "$work/end")
jq -j '.task.result.output // ""' "$work/end" | tee "${SVC_OUTPUT_FILE:-$work/output}"
printf '\nsvc: task %s %s%s\n' "$id" "$state" "${reason:+: $reason}" >&2

# The limit of GitHub for both files is 1 MiB.
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  {
    printf 'task-id=%s\nstatus=%s\nexit-code=%s\noutput<<%s\n' "$id" "$state" "$code" "$mark"
    jq -r '.task.result.output // "" | .[:100000]' "$work/end"
    printf '%s\n' "$mark"
  } >>"$GITHUB_OUTPUT"
fi
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then
  jq -r --arg base "$base" '.task
    | ((.result.output // .error.message // "") | .[:100000]) as $text
    # Longer than any fence in the text.
    | ([$text | scan("`+") | length] | max // 0 | [. + 1, 3] | max | . * "`") as $fence
    | "### svc: \(.status)\n\n[Task](\($base)/tasks/\(.id))\n\n\($fence)text\n\($text)\n\($fence)\n"' "$work/end" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
