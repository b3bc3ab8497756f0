import type { Feature } from '../lifecycle.ts';
import { Drain } from './drain.ts';
import { HostWatch } from './host-watch.ts';
import { IdlePull } from './idle-pull.ts';
import { OutcomeRecorder } from './outcome-recorder.ts';
import { TaskLeases } from './task-leases.ts';
import { TaskRunner, type TaskRunnerDeps } from './task-runner.ts';
import type { TaskFeature } from './compose-tasks.ts';
import { TaskSweeper } from './task-sweeper.ts';
import { WaitNotices } from './wait-notices.ts';
import { VerifyFile, type VerifyFileDeps } from './verification/verify-file.ts';
import { WorkVerifier } from './verification/work-verifier.ts';

export type TaskExecutionDeps = TaskFeature['execution'] &
  Pick<
    TaskRunnerDeps,
    'workspaces' | 'worktrees' | 'config' | 'usage' | 'budgets' | 'budgetApprovals' | 'repositoryNames'
  > &
  Pick<VerifyFileDeps, 'sandbox' | 'shells'>;

/** What claims queued tasks and runs their agents; when it stops, running work gets its time to finish. */
export function composeTaskExecution(deps: TaskExecutionDeps): Feature<{ drain: Drain | undefined }> {
  const recorder = new OutcomeRecorder(deps);
  // The id of its daemon tells a later process of it which claims are over.
  const workerId = `${deps.daemon.id}/${deps.runtime.newId('worker')}`;
  const verifier = new WorkVerifier(deps);
  const verifyFile = new VerifyFile(deps);
  const runner = new TaskRunner({ ...deps, recorder, verifier, verifyFile, workerId });
  const { membership, intake, cluster, config } = deps;
  const leases = new TaskLeases({ ...deps, workerId });
  const sweeper = new TaskSweeper({
    ...deps,
    engine: deps.database.engine,
    notices: new WaitNotices(deps),
    hosts: membership && new HostWatch({ ...deps, membership }),
  });
  const pull = intake && new IdlePull({ ...deps, intake });
  // A daemon that only serves requests leaves the tasks to the others.
  const start = async () => {
    if (config.get('daemon.role') !== 'api') await runner.start();
  };
  const drain =
    membership &&
    intake &&
    new Drain({ ...deps, membership, intake, handOver: cluster.handOver, resume: start });
  return {
    services: { drain },
    lifecycle: {
      async start() {
        await start();
        leases.start();
        sweeper.start();
        if (config.get('daemon.role') !== 'api') pull?.start();
      },
      async stop(drainMs) {
        drain?.close();
        await Promise.all([sweeper.stop(), pull?.stop()]);
        await runner.stop(drainMs);
        leases.stop();
      },
    },
  };
}
