import type { CommandSpec } from '../program/define-command.ts';

interface NounEntry {
  name: string;
  /** The heading under which the help shows it. */
  group: string;
  /** Loads the declaration; only that of the noun that runs is loaded. */
  load: () => Promise<CommandSpec>;
}

/** Every noun, in the order of the help. */
export const nounList: readonly NounEntry[] = [
  { name: 'run', group: 'Work:', load: async () => (await import('./run.ts')).run },
  { name: 'inbox', group: 'Work:', load: async () => (await import('./inbox.ts')).inbox },
  { name: 'ui', group: 'Work:', load: async () => (await import('./ui.ts')).ui },
  { name: 'chat', group: 'Work:', load: async () => (await import('./chat.ts')).chat },
  { name: 'acp', group: 'Work:', load: async () => (await import('./acp.ts')).acp },
  { name: 'tasks', group: 'Work:', load: async () => (await import('./tasks.ts')).tasks },
  { name: 'schedules', group: 'Work:', load: async () => (await import('./schedules.ts')).schedules },
  { name: 'dlq', group: 'Work:', load: async () => (await import('./dlq.ts')).dlq },
  { name: 'queue', group: 'Work:', load: async () => (await import('./queue.ts')).queue },
  { name: 'agents', group: 'Work:', load: async () => (await import('./agents.ts')).agents },
  { name: 'providers', group: 'Work:', load: async () => (await import('./providers.ts')).providers },
  { name: 'usage', group: 'Work:', load: async () => (await import('./usage.ts')).usage },
  { name: 'tools', group: 'Work:', load: async () => (await import('./tools.ts')).tools },
  { name: 'approvals', group: 'Work:', load: async () => (await import('./approvals.ts')).approvals },
  { name: 'mcp', group: 'Work:', load: async () => (await import('./mcp.ts')).mcp },
  { name: 'memory', group: 'Work:', load: async () => (await import('./memory.ts')).memory },
  { name: 'experiences', group: 'Work:', load: async () => (await import('./experiences.ts')).experiences },
  { name: 'daemon', group: 'Daemon:', load: async () => (await import('./daemon.ts')).daemon },
  { name: 'health', group: 'Daemon:', load: async () => (await import('./health.ts')).health },
  { name: 'doctor', group: 'Daemon:', load: async () => (await import('./doctor.ts')).doctor },
  { name: 'sandbox', group: 'Daemon:', load: async () => (await import('./sandbox.ts')).sandbox },
  { name: 'data', group: 'Daemon:', load: async () => (await import('./data.ts')).data },
  { name: 'backup', group: 'Daemon:', load: async () => (await import('./backup.ts')).backup },
  { name: 'restore', group: 'Daemon:', load: async () => (await import('./restore.ts')).restore },
  { name: 'upgrade', group: 'Daemon:', load: async () => (await import('./upgrade.ts')).upgrade },
  { name: 'uninstall', group: 'Daemon:', load: async () => (await import('./uninstall.ts')).uninstall },
  { name: 'storage', group: 'Daemon:', load: async () => (await import('./storage.ts')).storage },
  { name: 'cluster', group: 'Daemon:', load: async () => (await import('./cluster.ts')).cluster },
  { name: 'config', group: 'Setup:', load: async () => (await import('./config.ts')).config },
  { name: 'context', group: 'Setup:', load: async () => (await import('./context.ts')).context },
  { name: 'auth', group: 'Setup:', load: async () => (await import('./auth.ts')).auth },
  { name: 'devices', group: 'Setup:', load: async () => (await import('./devices.ts')).devices },
  { name: 'tokens', group: 'Setup:', load: async () => (await import('./tokens.ts')).tokens },
  {
    name: 'integrations',
    group: 'Setup:',
    load: async () => (await import('./integrations.ts')).integrations,
  },
  { name: 'webhooks', group: 'Setup:', load: async () => (await import('./webhooks.ts')).webhooks },
  { name: 'policy', group: 'Setup:', load: async () => (await import('./policy.ts')).policy },
  { name: 'guards', group: 'Setup:', load: async () => (await import('./guards.ts')).guards },
  { name: 'audit', group: 'Setup:', load: async () => (await import('./audit.ts')).audit },
  { name: 'completion', group: 'Setup:', load: async () => (await import('./completion.ts')).completion },
  {
    name: '__complete',
    group: 'Setup:',
    load: async () => (await import('./complete.ts')).complete,
  },
];
