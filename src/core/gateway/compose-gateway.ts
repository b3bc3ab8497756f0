import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { EventBus } from '../events.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { LanePeers } from '../outbound/lane-owner.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Runtime } from '../runtime.ts';
import type { NewTaskCheck } from '../tasks/new-task-check.ts';
import type { TaskFeature } from '../tasks/compose-tasks.ts';
import type { TaskFinishWatcher } from '../tasks/task-finish-watcher.ts';
import type { FinishedTaskStore } from '../tasks/finished-task-store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { GatewayRequestStore } from './gateway-request-store.ts';
import { GatewayService } from './gateway-service.ts';
import { NotifyDeliverer } from './notify-deliverer.ts';
import { NotifyStore } from './notify-store.ts';
import { QueueOutlook } from './queue-outlook.ts';
import { RunProgress } from './run-progress.ts';
import { RunTimeEstimates } from './run-time-estimates.ts';
import { TaskWaits } from './task-waits.ts';

export interface GatewayServices {
  gateway: GatewayService;
  gatewayWaits: TaskWaits;
  gatewayRequests: GatewayRequestStore;
  gatewayNotify: NotifyDeliverer;
}

export interface GatewayDeps {
  database: Database;
  taskStore: TaskStore;
  finishedTasks: FinishedTaskStore;
  tasks: TaskService;
  newTaskCheck: NewTaskCheck;
  registry: AgentRegistry;
  finishWatcher: TaskFinishWatcher;
  execution: Pick<TaskFeature['execution'], 'queue' | 'pause' | 'slots' | 'clusterPools' | 'environments'>;
  bus: EventBus;
  outbound: Outbound;
  keys: KeyRing;
  telemetry: Telemetry | undefined;
  runtime: Runtime;
  log: Log;
  peers: LanePeers | undefined;
}

/** The gateway and what it needs of the core. */
export function composeGateway(deps: GatewayDeps): Feature<GatewayServices> {
  const { database, taskStore, finishedTasks, tasks, registry, finishWatcher, bus, outbound, runtime } = deps;
  const { queue, pause, slots, clusterPools, environments } = deps.execution;
  const estimates = new RunTimeEstimates({ finished: finishedTasks, bus });
  const waits = new TaskWaits({ store: taskStore, finishWatcher });
  const notify = new NotifyDeliverer({
    ...deps,
    finishWatcher,
    store: new NotifyStore(database),
    fetch: outbound.fetch,
  });
  const stopListening = bus.onLocal('approval', ({ row }) => {
    if (row.task_id !== null) notify.sendDue(row.task_id);
  });
  const requests = new GatewayRequestStore(database);
  const gateway = new GatewayService({
    tasks,
    check: deps.newTaskCheck,
    registry,
    environments,
    taskStore,
    requests,
    notify,
    outlook: new QueueOutlook({ database, registry, runtime, queue, pause, slots, clusterPools, estimates }),
    estimates,
    progress: new RunProgress(bus),
    waits,
    outbound,
    runtime,
  });
  return {
    services: { gateway, gatewayWaits: waits, gatewayRequests: requests, gatewayNotify: notify },
    lifecycle: {
      start: () => notify.start(),
      stop: async () => {
        stopListening();
        // Who waits is answered with what the database says last.
        await waits.stop();
        await notify.stop();
      },
    },
  };
}
