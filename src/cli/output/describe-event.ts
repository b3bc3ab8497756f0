import type { ApprovalDecision } from '../../contract/approvals.ts';
import type { RunEventType } from '../../contract/run-events.ts';
import type { TaskEvent } from '../../contract/task.ts';
import { askedCall } from '../commands/approvals/asked-call.ts';
import { summariseCall } from '../commands/approvals/format-call.ts';
import { describeRetry } from './describe-retry.ts';
import { escapeLine } from './escape-text.ts';
import { fitText } from './text-width.ts';

const LONGEST = 120;

const decisions: Record<string, string> = {
  'allow-once': 'allowed, once',
  'allow-always': 'allowed, always',
  deny: 'denied',
} satisfies Record<ApprovalDecision, string>;

/** A short description of an event for progress output; undefined for events that are not shown. */
export function describeEvent(event: TaskEvent): string | undefined {
  const { type, message, data } = event;
  switch (type) {
    case 'queued':
      return 'waiting for a worker';
    case 'waiting_for_agent':
      if (data['waitsFor'] === 'daemon')
        return `waiting for a daemon: ${escapeLine(message)} See: svc cluster ls`;
      // What has to be configured comes with its command.
      return `waiting for an agent: ${escapeLine(message)}${namesStep(message) ? '' : ' See: svc agents ls'}`;
    case 'started':
      return `${attemptOf(data)} by ${escapeLine(textOf(data['agent']))}`;
    case 'retry_scheduled':
    case 'deferred':
      return describeRetry(event);
    case 'progress':
      return isShown(data) && message !== '' ? escapeLine(message) : undefined;
    case 'approval_requested': {
      const call = askedCall(event);
      return (
        call &&
        `needs approval: ${fitText(escapeLine(summariseCall(call)), LONGEST)} (until ${call.expiresAt})`
      );
    }
    case 'approval_decided':
      return decisions[textOf(data['decision'])] ?? escapeLine(message);
    case 'verification_started':
    case 'verification_finished':
    case 'requeued':
      return escapeLine(message);
    case 'created':
    case 'output':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'dead_lettered':
      return undefined;
  }
}

/** How many there may be matters once one has failed. */
function attemptOf({ attempt, maxAttempts }: TaskEvent['data']): string {
  return attempt === 1 ? 'started' : `attempt ${Number(attempt)} of ${Number(maxAttempts)}`;
}

const textOf = (value: TaskEvent['data'][string] | undefined) => (typeof value === 'string' ? value : '');

/** The steps of a run that are shown as progress; its text comes as output. */
const shownSteps: RunEventType[] = ['session:start', 'tool:call', 'compaction', 'error'];

/** Progress of an agent without such steps is always shown. */
function isShown({ type, result }: TaskEvent['data']): boolean {
  if (typeof type !== 'string') return true;
  if (type === 'tool:result')
    return typeof result === 'object' && !Array.isArray(result) && result?.['success'] === false;
  return shownSteps.some((step) => step === type);
}

/** Whether a text ends with what to do, such as a command. */
const namesStep = (text: string) => /: (?:svc|npm|run|log) |\bgive its path: /.test(text);
