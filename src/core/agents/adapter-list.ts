import type { Config } from '../config/config.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { commandAdapter } from './adapters/command-adapter.ts';
import { httpAdapter } from './adapters/http-adapter.ts';
import type { AgentAdapter } from './agent-adapter.ts';

export interface AdapterDeps {
  config: Config;
  fetch: OutboundFetch;
  env: Record<string, string | undefined>;
  installation: string;
}

/** Creates the bundled agents except the built-in one, which needs chat. A new agent is a line here. */
export const createAdapters = ({ config, fetch, env, installation }: AdapterDeps): AgentAdapter[] => [
  commandAdapter({ env, configured: () => config.opened('agents.command.env'), installation }),
  httpAdapter({
    url: () => config.get('agents.http.url'),
    timeoutMs: () => config.get('pool.timeoutMs'),
    fetch,
  }),
];
