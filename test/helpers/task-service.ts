import { aloneDaemon } from '../../src/core/daemon-identity.ts';
import { TaskPlacement } from '../../src/core/tasks/task-placement.ts';
import { AgentRegistry } from '../../src/core/agents/agent-registry.ts';
import type { AgentAdapter } from '../../src/core/agents/agent-adapter.ts';
import { Config } from '../../src/core/config/config.ts';
import { MemoryQueue } from '../../src/core/queue/memory-queue.ts';
import { QueuePause } from '../../src/core/queue/queue-pause.ts';
import { type Runtime, systemRuntime } from '../../src/core/runtime.ts';
import { KeyRing } from '../../src/core/secrets/key-ring.ts';
import { Workspaces } from '../../src/core/processes/workspaces.ts';
import { ActiveRuns } from '../../src/core/tasks/active-runs.ts';
import { IdempotencyStore } from '../../src/core/tasks/idempotency-store.ts';
import { ImmediateRuns } from '../../src/core/tasks/immediate-runs.ts';
import { TaskAdmission } from '../../src/core/tasks/task-admission.ts';
import { TaskEnvironments } from '../../src/core/tasks/task-environments.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import type { TestStorage } from './storage.ts';
import { testAdapter } from './tasks.ts';

/** The tasks over a storage, with an agent named `test` and whatever else is named, and no worker. */
export async function openTaskService(
  { database, bus, store }: TestStorage,
  { runtime = systemRuntime, adapters = [] }: { runtime?: Runtime; adapters?: AgentAdapter[] } = {},
) {
  const config = new Config({ env: {}, settingsFile: '/nowhere/settings.json' });
  const registry = new AgentRegistry({
    adapters: [testAdapter(async () => ({ output: '' })), ...adapters],
    config,
    stats: { cells: async () => [], lastActivity: async () => undefined },
    runtime,
  });
  const queue = new MemoryQueue();
  const pause = await QueuePause.load(database, bus);
  const placement = new TaskPlacement({ registry, daemon: aloneDaemon });
  const admission = new TaskAdmission({ database, store, registry, placement, queue, pause, runtime });
  const environments = new TaskEnvironments(new KeyRing(Buffer.alloc(32)));
  const tasks = new TaskService({
    database,
    store,
    admission,
    placement,
    daemon: aloneDaemon,
    registry,
    queue,
    environments,
    workspaces: new Workspaces('/nowhere'),
    config,
    runtime,
    immediate: new ImmediateRuns(),
    idempotency: new IdempotencyStore(database),
    check: { warningsOf: async () => [] },
    runs: new ActiveRuns(),
  });
  return { tasks, registry, admission, placement, environments };
}
