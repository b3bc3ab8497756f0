import type { RunEvent } from '../../../contract/run-events.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';

type Failure = Extract<RunEvent, { type: 'error' }>['data'];

/** What the codes of a run's error mean here; the first that is found in the code counts. */
const meanings: [word: RegExp, exitCode: ExitCode, next?: string][] = [
  [/timeout|timed_out/, exitCodes.timeout, 'Say "go on" to let it continue.'],
  [/budget/, exitCodes.overBudget, 'Give it more: --max-budget, or /budget in the chat.'],
  [/max_steps/, exitCodes.overBudget, 'Let it go further: --max-steps or --effort, or say "go on".'],
  [/cancel|abort|overtaken|stopped/, exitCodes.cancelled],
  [
    /rate_limit|unavailable|overload|network|vendor_error|broken_off/,
    exitCodes.tryLater,
    'Try again in a moment.',
  ],
  [/^auth$|unauthenticated|quota/, exitCodes.notAllowed, 'See: svc providers ls'],
  [/forbidden/, exitCodes.notAllowed],
  [/not_found/, exitCodes.notFound],
  [/validation|invalid|wrong_state|content_filter|context_too_long/, exitCodes.invalid],
];

/** The error of a run with its exit code and what to do next. */
export function runFailure({ message, code }: Failure): CliError {
  const word = code.toLowerCase().replaceAll('-', '_');
  const [, exitCode = exitCodes.failed, next] = meanings.find(([pattern]) => pattern.test(word)) ?? [];
  return new CliError(exitCode, message, next === undefined ? {} : { next });
}
