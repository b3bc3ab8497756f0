import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Config } from '../config/config.ts';
import type { EventBus } from '../events.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskEndings } from '../tasks/task-endings.ts';
import type { TaskQueryStore } from '../tasks/task-query-store.ts';
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
}

export interface GatewayDeps {
  database: Database;
  store: TaskStore;
  query: TaskQueryStore;
  tasks: TaskService;
  registry: AgentRegistry;
  endings: TaskEndings;
  bus: EventBus;
  config: Config;
  outbound: Outbound;
  keys: KeyRing;
  runtime: Runtime;
  log: Log;
}

/** The gateway and what it needs of the core. */
export function composeGateway(deps: GatewayDeps): Feature<GatewayServices> {
  const { database, store, query, tasks, registry, endings, bus, outbound, runtime } = deps;
  const estimates = new RunTimeEstimates({ query, bus });
  const waits = new TaskWaits({ store, endings });
  const notify = new NotifyDeliverer({
    ...deps,
    store: new NotifyStore(database),
    fetch: outbound.fetch,
  });
  const gateway = new GatewayService({
    tasks,
    registry,
    taskStore: store,
    requests: new GatewayRequestStore(database),
    notify,
    outlook: new QueueOutlook({ ...deps, estimates }),
    estimates,
    progress: new RunProgress(bus),
    waits,
    outbound,
    runtime,
  });
  return {
    services: { gateway, gatewayWaits: waits },
    lifecycle: { start: () => notify.start(), stop: () => notify.stop() },
  };
}
