import type { TaskEvent } from '../../../contract/task.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { canAsk } from '../../input/ask.ts';
import type { Cli } from '../../program/cli.ts';
import type { OnApproval } from './on-approval.ts';

/** Ends `svc run` where a person has to choose a candidate, and nobody is there; the task waits. */
export function refuseToWait(
  cli: Cli,
  id: string,
  { event, onApproval }: { event: TaskEvent; onApproval: OnApproval | undefined },
  reject: (error: CliError) => void,
): void {
  if (event.data['waitsFor'] !== 'pick') return;
  if ((onApproval ?? (canAsk(cli) ? 'wait' : 'fail')) !== 'fail') return;
  reject(
    new CliError(exitCodes.approvalNeeded, 'A person has to choose a candidate; the task is waiting.', {
      next: `Compare them: svc tasks compare ${id}   Choose: svc tasks pick ${id} CANDIDATE`,
    }),
  );
}
