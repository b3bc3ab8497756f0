import type { RunEvent } from '../../../contract/run-events.ts';
import { continueAsTaskHint } from './continue-hints.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';

type Failure = Extract<RunEvent, { type: 'error' }>['data'];

interface RunContext {
  /** The conversation of an agentic turn, whose work can go on as a task. */
  agentic?: { id: string; cwd?: string | undefined } | undefined;
}

/** Exit code and hint per error code of a run; the first match counts. */
const meanings: [word: RegExp, exitCode: ExitCode, next?: string][] = [
  // The message says what to configure.
  [/not_configured|needs_login/, exitCodes.configuration],
  [/usage_limit/, exitCodes.tryLater],
  [/max_tokens/, exitCodes.overBudget],
  [/denied/, exitCodes.notAllowed, 'Say what it should do instead.'],
  [/timeout|timed_out/, exitCodes.timeout, 'Send "continue" to let it continue.'],
  [/budget/, exitCodes.overBudget, 'Increase it: --max-budget, or /budget in the chat.'],
  [/max_steps/, exitCodes.overBudget, 'Increase it: --max-steps or --effort, or send "continue".'],
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
export function runFailure({ message, code }: Failure, { agentic }: RunContext = {}): CliError {
  const word = code.toLowerCase().replaceAll('-', '_');
  const [, exitCode = exitCodes.failed, meant] = meanings.find(([pattern]) => pattern.test(word)) ?? [];
  const isOutOfTime = word === 'timeout' && agentic !== undefined;
  const next = isOutOfTime ? continueAsTaskHint(agentic) : meant;
  return new CliError(exitCode, message, next === undefined ? {} : { next });
}
