import type { Client } from '../../../contract/client.ts';

/** The setting that holds the agents that were added. */
const addedAgentsKey = 'agents.added';

type Added = Record<string, Record<string, unknown>>;

/** The agents that were added, by name; secrets are masked, and the daemon takes the masks back for what they hide. */
export async function readAddedAgents(client: Client): Promise<Added> {
  const { settings } = await client.config.list();
  const value = settings.find(({ key }) => key === addedAgentsKey)?.value;
  return (value ?? {}) as Added;
}

export async function writeAddedAgents(client: Client, added: Added): Promise<void> {
  const value = Object.keys(added).length === 0 ? null : (added as Record<string, never>);
  await client.config.update({ params: { key: addedAgentsKey }, body: { value } });
}
