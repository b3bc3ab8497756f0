import type { RunEvent } from '../../contract/run-events.ts';
import { CliError } from '../cli-error.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';

type Failure = Extract<RunEvent, { type: 'error' }>['data'];

/** What the codes of a run's error mean here; the first that is found in the code counts. */
const meanings: [word: RegExp, exitCode: ExitCode, next?: string][] = [
  [/timeout|timed_out/, exitCodes.timeout, 'Say "go on" to let it continue.'],
  [/budget/, exitCodes.overBudget, 'Give it more: --max-budget, or /budget in the chat.'],
  [/cancel|abort/, exitCodes.cancelled],
  [/rate_limit|unavailable|overload/, exitCodes.tryLater, 'Try again in a moment.'],
  [/approval|policy/, exitCodes.approvalNeeded],
  [/unauthenticated|auth_failed|invalid_key/, exitCodes.notAllowed, 'See: svc providers ls'],
  [/forbidden/, exitCodes.notAllowed],
  [/not_found/, exitCodes.notFound],
  [/validation|invalid|wrong_state/, exitCodes.invalid],
];

/** The error of a run with its exit code and what to do next. */
export function runFailure({ message, code }: Failure): CliError {
  const word = code.toLowerCase().replaceAll('-', '_');
  const [, exitCode = exitCodes.failed, next] = meanings.find(([pattern]) => pattern.test(word)) ?? [];
  return new CliError(exitCode, message, next === undefined ? {} : { next });
}
