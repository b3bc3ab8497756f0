import type { ShownGroup } from './usage-search.ts';

/** What the page can add up by, with the words of the choice. */
export const groupWords: Record<ShownGroup, string> = {
  agent: 'Agent',
  model: 'Model',
  task: 'Task',
  repository: 'Repository',
  user: 'User',
  token: 'API token',
  provider: 'Provider',
};

export const ranges = [7, 30, 90, 365] as const;
