import { homedir } from 'node:os';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { Caller } from '../auth/caller.ts';
import type { UserStore } from '../auth/user-store.ts';
import type { ChatBudgets } from '../budgets/chat-budgets.ts';
import type { ConversationService } from '../chat/conversation-service.ts';
import type { Runs } from '../chat/runs/compose-runs.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import type { GitShells } from '../processes/git-shells.ts';
import type { Sandbox } from '../processes/sandbox.ts';
import type { Runtime } from '../runtime.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Database } from '../storage/database.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import type { RepositoryNames } from '../worktrees/repository-names.ts';
import type { AgentSandboxes } from './agent-sandboxes.ts';
import type { AgentMessages } from './chat/agent-messages.ts';
import { type ConfiguredAgent, configuredAgents } from './configured-agents.ts';
import { type FoundBy, ProgramAdapter } from './program-adapter.ts';
import { ProgramProbe } from './program-probe.ts';
import type { SettingService } from '../settings/setting-service.ts';
import { SessionStore } from './session-store.ts';
import { TaskRights } from './task-rights.ts';

/** Programs and logins come and go while the daemon runs. */
const LOOK_EVERY_MS = 60_000;

export interface AgentProgramsDeps {
  database: Database;
  bus: EventBus;
  config: Config;
  registry: AgentRegistry;
  approvals: ApprovalService;
  notifications: NotificationService;
  policy: PolicyService;
  users: UserStore;
  taskStore: TaskStore;
  settings: Pick<SettingService, 'onChange'>;
  /** The daemon's environment; only variables on allow lists are passed on. */
  env: Record<string, string | undefined>;
  installation: string;
  daemon: Pick<DaemonIdentity, 'host'>;
  sandbox: Sandbox;
  shells: GitShells;
  /** The real paths of the daemon's own directories. */
  protectedDirectories: string[];
  conversations: ConversationService;
  loadRuns: () => Promise<Runs>;
  usage: UsageLedger;
  chatBudgets: ChatBudgets;
  repositoryNames: RepositoryNames;
  log: Log;
  reportBug: (error: unknown) => void;
  runtime: Runtime;
}

/** The agents that are programs of their own, with what an administrator added to them. */
export async function composeAgentPrograms(deps: AgentProgramsDeps) {
  const { database, bus, config, registry, notifications, taskStore, env, installation, loadRuns } = deps;
  const { settings, reportBug, runtime } = deps;
  const probe = new ProgramProbe({ env, home: env['HOME'] ?? homedir(), installation });
  const sessions = new SessionStore(database, deps.daemon.host);
  const rights = new TaskRights({ ...deps, tasks: taskStore });
  let sandboxes: AgentSandboxes | undefined;
  // Loaded at their first use, as everything that runs agents.
  const loadSandboxes = async () => {
    const loaded = await import('./agent-sandboxes.ts');
    return (sandboxes ??= new loaded.AgentSandboxes(deps));
  };
  const gate = async () => (await loadRuns()).gate;
  const adapters = new Map<string, ProgramAdapter>();
  const notify = async (foundBy: FoundBy, message: string) => {
    const taskId = 'taskId' in foundBy ? foundBy.taskId : undefined;
    const userId = 'userId' in foundBy ? foundBy.userId : (await taskStore.find(foundBy.taskId))?.owner_id;
    if (userId === undefined) return;
    await database.write(async (transaction) =>
      notifications.add(transaction, {
        userId,
        type: 'agent_needs_login',
        title: message.slice(0, 500),
        message: 'Its tasks wait, and run by themselves after the login.',
        ...(taskId !== undefined && { taskId }),
        data: {},
      }),
    );
  };
  // Looked up for each task that is created or claimed.
  const configured = config.derive(
    () => new Map(configuredAgents(config).map((agent) => [agent.type, agent])),
  );
  const register = (type: string) => {
    const known = configured().get(type);
    if (!known) return undefined;
    let last = known;
    const adapter = new ProgramAdapter({
      agent: () => (last = configured().get(type) ?? last),
      probe,
      run: async (program, run, repair) => {
        const { ProgramRun } = await import('./program-run.ts');
        const parts = { gate, sessions, rights, sandboxes: await loadSandboxes() };
        return new ProgramRun({ ...deps, ...parts }, program, run).execute(repair);
      },
      check: async ({ task }, order) =>
        (await loadRuns()).check({ ...order, needsSandbox: await rights.needsSandbox(task.id) }),
      onChange: () => bus.emit('agents_changed', undefined),
      onLoginNeeded: (foundBy, message) => void notify(foundBy, message).catch(reportBug),
      now: () => runtime.now().getTime(),
    });
    adapters.set(type, adapter);
    registry.register(adapter);
    return adapter;
  };
  const look = async () => {
    await Promise.all([...adapters.values()].map((adapter) => adapter.look()));
  };
  /** Agents that were added or removed since. */
  const refresh = async () => {
    const types = [...configured().keys()];
    for (const type of adapters.keys())
      if (!types.includes(type)) {
        adapters.delete(type);
        registry.remove(type);
      }
    for (const type of types) if (!adapters.has(type)) await register(type)?.look();
    await look();
  };
  // Before any task is looked at that waits for an agent.
  await refresh();
  // Who has added an agent finds it at once.
  settings.onChange(async (key) => {
    if (key.startsWith('agents.')) await refresh();
  });
  let timer: NodeJS.Timeout | undefined;
  const loadSandboxService = async () => {
    const { SandboxService } = await import('./sandbox-service.ts');
    return new SandboxService({ ...deps, sandboxes: await loadSandboxes(), probe });
  };
  /** Tries an agent, whose tasks that wait for a login start once it answers; undefined where there is no such program. */
  const testAgentProgram = (type: string, options: { model?: string | undefined; signal: AbortSignal }) => {
    const agent = configured().get(type);
    return agent && runTest(agent, options);
  };
  const runTest = async function* (
    agent: ConfiguredAgent,
    options: { model?: string | undefined; signal: AbortSignal },
  ) {
    const { testAgent } = await import('./test-agent.ts');
    for await (const step of testAgent({ ...options, agent, probe, env, installation, runtime })) {
      if (step.name === 'turn' && step.status === 'ok') adapters.get(agent.type)?.trustLogin();
      yield step;
    }
  };
  let messages: AgentMessages | undefined;
  const loadMessages = async () => {
    const runs = await loadRuns();
    const { AgentMessages } = await import('./chat/agent-messages.ts');
    const { AgentChats } = await import('./chat/agent-chats.ts');
    const parts = { ...deps, sandboxes: await loadSandboxes() };
    return (messages ??= new AgentMessages({
      ...parts,
      runs,
      chats: new AgentChats(parts),
      program: async (agent, userId) => {
        const adapter = adapters.get(agent);
        if (adapter) return adapter.findFor(userId);
        throw new AppError('not_found', `The agent "${agent}" was removed`);
      },
    }));
  };
  bus.on('conversation_removed', ({ id }) => void messages?.forget(id).catch(reportBug));
  /** What answers messages with tools in a conversation: its agent, or a model. */
  const answererOf = async (caller: Caller, conversationId: string) =>
    (await deps.conversations.find(caller, conversationId)).agent === null
      ? (await loadRuns()).toolMessages
      : loadMessages();
  const offered = {
    agentPrograms: adapters,
    agentSessions: sessions,
    /** Whether agents that are programs run in a sandbox, and why not. */
    checkAgentSandbox: async () => (await loadSandboxes()).check(),
    answererOf,
    loadSandboxService,
    testAgentProgram,
  };
  return {
    services: offered,
    lifecycle: {
      start() {
        timer = setInterval(() => void look().catch(reportBug), LOOK_EVERY_MS).unref();
      },
      stop: async () => {
        clearInterval(timer);
        await messages?.close();
      },
    },
  } satisfies Feature<typeof offered>;
}
