import type { Client } from '../../../contract/client.ts';
import { client } from '../../client.ts';
import { queryClient } from '../../queries/query-client.ts';

/** The setting that holds the agents that people added. */
export const addedAgentsKey = 'agents.added';

type Json = NonNullable<Parameters<Client['config']['update']>[0]['body']>['value'];

/** An agent that somebody added; the values of its variables are masked, and the daemon takes the masks back. */
export interface AddedAgent {
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  model?: string;
  maxTokens?: number;
}
type AddedAgents = Readonly<Record<string, AddedAgent>>;

export async function readAddedAgents(): Promise<AddedAgents> {
  const { settings } = await client.config.list();
  return (settings.find(({ key }) => key === addedAgentsKey)?.value ?? {}) as unknown as AddedAgents;
}

/** Changes what is stored at this moment, so that what others added meanwhile stays. */
export async function changeAddedAgents(change: (added: AddedAgents) => AddedAgents): Promise<void> {
  const added = change(await readAddedAgents());
  const value = Object.keys(added).length === 0 ? null : (added as unknown as Json);
  await client.config.update({ params: { key: addedAgentsKey }, body: { value } });
  await queryClient.invalidateQueries({ queryKey: ['agents'] });
}
