/**
 * The folders and root files of `src/core`, bottom first. Each imports only from itself and from the lines before its own,
 * types included; `layers.test.ts` checks every import. A new folder gets a line here.
 */
export const coreOrder: readonly string[] = [
  // What knows nothing of the product.
  'errors.ts',
  'log.ts',
  'version.ts',
  'runtime.ts',
  'shared-clock.ts',
  'leases.ts',
  'placement.ts',
  'delivery.ts',
  'lifecycle.ts',
  'composition.ts',
  'async',
  'text',
  'paths',

  // What every feature stands on: stored rows, secrets, settings, events, the network, limits, programs.
  'storage',
  'daemon-identity.ts',
  'secrets',
  'config',
  'events.ts',
  'outbound',
  'limits',
  'metrics',
  'telemetry',
  'redis',
  'processes',

  // Users, audit log, notifications and approvals.
  'audit',
  'auth',
  'notifications',
  'policy',
  'approvals',

  // What work needs: queue, other daemons, agents, models, memory.
  'queue',
  'cluster',
  'agents',
  'worktrees',
  'usage',
  'budgets',
  'providers',
  'settings',
  'memory',

  // Work.
  'tasks',
  'web-search',
  'tools',
  'chat',
  'changes',
  'agent-programs',
  'candidates',

  // The ways in and out.
  'a2a',
  'gateway',
  'openai-api',
  'integrations',
  'devices',
  'schedules',
  'webhooks',
  'push',
  'retention',
  'moving',
  'backup',
  'live',
  'inbox',
  'mcp-server',
  'health',

  'app.ts',
];
