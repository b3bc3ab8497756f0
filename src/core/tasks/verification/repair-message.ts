import type { Verification } from '../../../contract/verification.ts';
import type { RepairOrder } from '../../agents/agent-adapter.ts';
import type { Runtime } from '../../runtime.ts';
import { fenceData } from '../../text/fence-data.ts';
import { TAIL_BYTES } from './output-tail.ts';

/** The message that asks an agent to repair what its verification found; the failed commands share the room for output. */
export function repairMessage(runtime: Runtime, { commands, environment }: Verification): RepairOrder {
  const failed = commands.filter(({ exitCode }) => exitCode !== 0);
  const room = Math.floor(TAIL_BYTES / failed.length);
  const parts = failed.map(({ command, exitCode, problem, outputTail }) => {
    const head = `$ ${command}\n${problem ?? `exit code ${exitCode}`}`;
    const output = outputTail.slice(-room).toWellFormed().trim();
    return output === ''
      ? `${head}\n[no output]`
      : `${head}\n${fenceData(runtime, 'The end of its output', output)}`;
  });
  const message = `The commands that verify your work ran after your answer, and ${failed.length === 1 ? 'this one' : 'these'} did not succeed:

${parts.join('\n\n')}

Find the cause and correct the work. Do not change what is checked to make it pass. Then answer the task again, as a whole.`;
  // Nothing from outside reaches a sandbox.
  return { kind: 'work', message, isTainted: environment !== 'sandbox' };
}
