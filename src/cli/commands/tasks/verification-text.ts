import type { Task } from '../../../contract/task.ts';
import type { VerifiedCommand } from '../../../contract/verification.ts';
import { formatDuration } from '../../output/duration.ts';

/** How the verification of a task ended, in a few words; undefined without one. */
export function verificationFact({ result }: Pick<Task, 'result'>): string | undefined {
  const verification = result?.verification;
  if (!verification) return undefined;
  const { status, rounds, environment, commands, changedFiles = [] } = verification;
  const facts = [status === 'passed' ? 'yes' : 'no', rounds > 1 && `after ${rounds} rounds`, environment];
  const changed = changedFiles.length > 0 && `changed during the run: ${changedFiles.join(', ')}`;
  const flaky = commands.filter((command) => command.flaky).map(({ command }) => command);
  const repeated = flaky.length > 0 && `succeeded only when repeated: ${flaky.join('; ')}`;
  return [facts.filter(Boolean).join(', '), repeated, changed].filter(Boolean).join('; ');
}

/** The commands of a verification with how each ended, and the output of those that failed. */
export const verificationText = ({ result }: Pick<Task, 'result'>): string | undefined =>
  result?.verification?.commands.map(commandText).join('\n');

export const endOfCommand = ({ exitCode, problem }: VerifiedCommand): string =>
  problem ?? `exit code ${exitCode}`;

function commandText(command: VerifiedCommand): string {
  const head = `$ ${command.command}  (${endOfCommand(command)}, ${formatDuration(command.durationMs)})`;
  const output = command.outputTail.trimEnd();
  return command.exitCode === 0 || output === '' ? head : `${head}\n${output}`;
}
