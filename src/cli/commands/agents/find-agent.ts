import type { AgentDetail } from '../../../contract/agents.ts';
import { ApiError, type Client } from '../../../contract/client.ts';
import { noSuchAgent } from './no-such-agent.ts';

/** An agent with its settings; rejects with the closest name where there is none. */
export async function findAgent(client: Client, type: string): Promise<AgentDetail> {
  try {
    return (await client.agents.get({ params: { type } })).agent;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    throw noSuchAgent(type, (await client.agents.listTypes()).types);
  }
}
