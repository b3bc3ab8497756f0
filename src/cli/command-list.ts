import type { Command } from 'commander';
import type { Cli } from './cli.ts';

export type FillCommand = (command: Command, cli: Cli) => void;

export interface CommandEntry {
  name: string;
  summary: string;
  group: string;
  isHidden?: true;
  /** Loads what the command is made of; only the one that runs is loaded. */
  load: () => Promise<FillCommand>;
}

const work = 'Work:';
const service = 'The daemon:';
const setup = 'Set up:';

/** Every command once. */
export const commandList: CommandEntry[] = [
  {
    name: 'run',
    summary: 'Run a task and print its answer',
    group: work,
    load: async () => (await import('./commands/run.ts')).fillRun,
  },
  {
    name: 'chat',
    summary: 'Talk with a model that may use tools',
    group: work,
    load: async () => (await import('./commands/chat.ts')).fillChat,
  },
  {
    name: 'tasks',
    summary: 'List, show, cancel, retry and follow tasks',
    group: work,
    load: async () => (await import('./commands/tasks.ts')).fillTasks,
  },
  {
    name: 'schedules',
    summary: 'Create tasks at set times',
    group: work,
    load: async () => (await import('./commands/schedules.ts')).fillSchedules,
  },
  {
    name: 'dlq',
    summary: 'Handle the tasks that failed for good',
    group: work,
    load: async () => (await import('./commands/dlq.ts')).fillDlq,
  },
  {
    name: 'queue',
    summary: 'Show, pause and resume the queue',
    group: work,
    load: async () => (await import('./commands/queue.ts')).fillQueue,
  },
  {
    name: 'agents',
    summary: 'List and test the agents',
    group: work,
    load: async () => (await import('./commands/agents.ts')).fillAgents,
  },
  {
    name: 'providers',
    summary: 'List, set up and test the model providers',
    group: work,
    load: async () => (await import('./commands/providers.ts')).fillProviders,
  },
  {
    name: 'tools',
    summary: 'List what models may call',
    group: work,
    load: async () => (await import('./commands/tools.ts')).fillTools,
  },
  {
    name: 'approvals',
    summary: 'Decide which calls of tools may run',
    group: work,
    load: async () => (await import('./commands/approvals.ts')).fillApprovals,
  },
  {
    name: 'memory',
    summary: 'Index folders and search them by words or meaning',
    group: work,
    load: async () => (await import('./commands/memory.ts')).fillMemory,
  },
  {
    name: 'experiences',
    summary: 'Keep what led to a goal, to find it again',
    group: work,
    load: async () => (await import('./commands/experiences.ts')).fillExperiences,
  },
  {
    name: 'daemon',
    summary: 'Run the daemon here, or start and stop it',
    group: service,
    load: async () => (await import('./commands/daemon.ts')).fillDaemon,
  },
  {
    name: 'health',
    summary: 'Say how the daemon is',
    group: service,
    load: async () => (await import('./commands/health.ts')).fillHealth,
  },
  {
    name: 'doctor',
    summary: 'Look for problems on this machine and say how to mend them',
    group: service,
    load: async () => (await import('./commands/doctor.ts')).fillDoctor,
  },
  {
    name: 'config',
    summary: 'Show and change settings',
    group: setup,
    load: async () => (await import('./commands/config.ts')).fillConfig,
  },
  {
    name: 'context',
    summary: 'Choose between several daemons',
    group: setup,
    load: async () => (await import('./commands/context.ts')).fillContext,
  },
  {
    name: 'auth',
    summary: 'Sign in; accounts, invites, sessions, the access key',
    group: setup,
    load: async () => (await import('./commands/auth.ts')).fillAuth,
  },
  {
    name: 'devices',
    summary: 'Pair machines and phones, back up the identity',
    group: setup,
    load: async () => (await import('./commands/devices.ts')).fillDevices,
  },
  {
    name: 'tokens',
    summary: 'Make and revoke API tokens',
    group: setup,
    load: async () => (await import('./commands/tokens.ts')).fillTokens,
  },
  {
    name: 'integrations',
    summary: 'Connect GitHub, Jira and Linear',
    group: setup,
    load: async () => (await import('./commands/integrations.ts')).fillIntegrations,
  },
  {
    name: 'webhooks',
    summary: 'Tell other systems of events; see what they sent',
    group: setup,
    load: async () => (await import('./commands/webhooks.ts')).fillWebhooks,
  },
  {
    name: 'policy',
    summary: 'Say which tools may run, and who is asked',
    group: setup,
    load: async () => (await import('./commands/policy.ts')).fillPolicy,
  },
  {
    name: 'guards',
    summary: 'Turn the checks of every call of a tool on and off',
    group: setup,
    load: async () => (await import('./commands/guards.ts')).fillGuards,
  },
  {
    name: 'audit',
    summary: 'Show the audit log and check that it is whole',
    group: setup,
    load: async () => (await import('./commands/audit.ts')).fillAudit,
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    group: setup,
    load: async () => (await import('./commands/completion.ts')).fillCompletion,
  },
  {
    name: '__complete',
    summary: 'List what could come next; the completion scripts call it',
    group: setup,
    isHidden: true,
    load: async () => (await import('./commands/complete.ts')).fillComplete,
  },
];
