import type { Config } from '../config/config.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import type { ForkServer } from '../processes/fork-server/fork-server.ts';
import { commandAdapter } from './adapters/command-adapter.ts';
import { httpAdapter } from './adapters/http-adapter.ts';
import type { AgentAdapter } from './agent-adapter.ts';

export interface AdapterDeps {
  config: Config;
  fetch: OutboundFetch;
  env: Record<string, string | undefined>;
  installation: string;
  forkServer: Pick<ForkServer, 'start'>;
}

/** Creates the bundled agents except the built-in one, which needs chat. A new agent is a line here. */
export const createAdapters = ({
  config,
  fetch,
  env,
  installation,
  forkServer,
}: AdapterDeps): AgentAdapter[] => [
  commandAdapter({
    env,
    configured: () => config.opened('agents.command.env'),
    installation,
    start: forkServer.start,
  }),
  httpAdapter({
    url: () => config.get('agents.http.url'),
    timeoutMs: () => config.get('pool.timeoutMs'),
    fetch,
  }),
];
