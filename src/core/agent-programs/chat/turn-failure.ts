import type { FailureClass } from '../../../contract/task.ts';
import type { DriverFailure } from '../../agents/drivers/driver.ts';
import { RunFailure } from '../../chat/runs/run-failure.ts';
import type { ConfiguredAgent } from '../configured-agents.ts';
import { loginProblem } from '../program-problem.ts';

/** The code of a failure whose cause says more to people than its details do. */
const codes: Partial<Record<FailureClass, string>> = {
  auth: 'NEEDS_LOGIN',
  quota: 'USAGE_LIMIT',
  rate_limited: 'RATE_LIMITED',
  network: 'NETWORK',
  agent_crash: 'AGENT_CRASH',
};

/** What an agent reports of a failed turn, as the end of a message. */
export function toTurnFailure(
  { class: failure, code, message, resetsAt }: DriverFailure,
  { type, preset }: Pick<ConfiguredAgent, 'type' | 'preset'>,
): RunFailure {
  const text = sentence(message);
  const said =
    failure === 'auth'
      ? `${loginProblem({ type, preset }).message}, then send the message again`
      : failure === 'agent_crash'
        ? `${text} Send another message to continue its session.`
        : resetsAt === undefined
          ? text
          : `${text} It is reset at ${new Date(resetsAt).toISOString()}.`;
  return new RunFailure(failure, codes[failure] ?? code.toUpperCase(), said);
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
