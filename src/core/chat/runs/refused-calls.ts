import { hash } from 'node:crypto';
import type { RefusedCalls } from '../../../contract/refused-calls.ts';
import { describeCall } from '../recall/run-steps.ts';
import type { OpenCall, RunState } from './run-state.ts';

/** Different calls that are listed; the others are only counted. */
const MAX_LISTED = 50;
const MAX_REASON = 500;

const keyOf = ({ name, args }: OpenCall): string =>
  hash('sha256', JSON.stringify([name, args ?? null])).slice(0, 16);

/** The refused calls of a run. */
export type Refusals = Pick<RunState, 'refused' | 'refusedUnlisted'>;

/** Records that a call was refused. */
export function addRefusal(state: Refusals, call: OpenCall, reason: string): void {
  const key = keyOf(call);
  const refused = (state.refused ??= []);
  const known = refused.find((each) => each.key === key);
  if (known) {
    known.count++;
    known.reason = reason.slice(0, MAX_REASON);
    return;
  }
  if (refused.length >= MAX_LISTED) {
    state.refusedUnlisted = (state.refusedUnlisted ?? 0) + 1;
    return;
  }
  const tool = call.name.slice(0, 200);
  refused.push({
    key,
    tool,
    call: describeCall({ name: tool, arguments: call.args }),
    reason: reason.slice(0, MAX_REASON),
    count: 1,
  });
}

/** The same call was allowed after all, for example by a second decision: it is refused no longer. */
export function dropRefusal(state: Refusals, call: OpenCall): void {
  if (!state.refused) return;
  const key = keyOf(call);
  state.refused = state.refused.filter((each) => each.key !== key);
}

/** What the summary of the run says about its refused calls; undefined if there are none. */
export function refusedCallsOf({ refused = [], refusedUnlisted = 0 }: Refusals): RefusedCalls | undefined {
  const count = refused.reduce((sum, each) => sum + each.count, refusedUnlisted);
  if (count === 0) return undefined;
  const calls = refused.map(({ tool, call, reason, count: times }) => ({ tool, call, reason, count: times }));
  return { count, calls };
}
