import type { SessionOrder } from '../../agents/drivers/driver.ts';
import { drivers } from '../../agents/presets.ts';
import type { Config } from '../../config/config.ts';
import type { Runtime } from '../../runtime.ts';
import type { AgentSandbox, AgentSandboxes } from '../agent-sandboxes.ts';
import { mcpServersFor } from '../mcp-servers-for.ts';
import { programEnvironment } from '../program-environment.ts';
import type { FoundProgram } from '../configured-agents.ts';
import { startProgram } from '../program-start.ts';
import { AgentChat } from './agent-chat.ts';

export interface StartChatDeps {
  config: Config;
  env: Record<string, string | undefined>;
  installation: string;
  sandboxes: Pick<AgentSandboxes, 'run'>;
  reportBug: (error: unknown) => void;
  runtime: Runtime;
}

export interface ChatOrder {
  conversationId: string;
  program: FoundProgram;
  /** Absolute, without links. */
  cwd: string;
  model: string | undefined;
  isSandboxed: boolean;
  /** Whether the agent only reads the directory; that needs the sandbox. */
  isReadOnly: boolean;
  /** The session to continue. */
  sessionId: string | undefined;
  /** Stores what the agent names its session. */
  onSession: (id: string) => void;
  /** Takes what people should know of the agent and its sandbox. */
  onNote: (note: string) => void;
}

/** The process of an agent in a conversation. */
export interface StartedChat {
  chat: AgentChat;
  /** To open in it. */
  session: SessionOrder;
  sandbox: AgentSandbox | undefined;
  /** Resolves once the process has exited and nothing of its sandbox is left; never rejects. */
  gone: Promise<void>;
}

/** Starts the agent of a conversation; its sandbox and its start files last as long as its process. */
export async function startChat(
  deps: StartChatDeps,
  order: ChatOrder & { key: string; signal: AbortSignal },
): Promise<StartedChat> {
  const { config, env, installation, sandboxes, reportBug, runtime } = deps;
  const { key, program, conversationId, cwd, model, isSandboxed, isReadOnly, signal } = order;
  const { sessionId, onSession, onNote } = order;
  const { agent } = program;
  const create = await drivers[agent.preset.driver]();
  const mark = `${installation}/${conversationId}/${runtime.newId('run')}`;
  const begun = Promise.withResolvers<Omit<StartedChat, 'gone'>>();
  let hasBegun = false;
  const gone = startProgram(
    sandboxes,
    {
      program,
      session: {
        cwd,
        resume: sessionId,
        model,
        mode: agent.preset.mode,
        mcpServers: mcpServersFor(config),
        isSandboxed,
      },
      isReadOnly,
      env: programEnvironment(agent, { env }),
      variables: agent.env,
      mark,
      signal,
      onNote,
    },
    async ({ sandbox, ...start }, session) => {
      const chat = new AgentChat(key, { ...start, mark }, { create, onSession, onNote });
      hasBegun = true;
      begun.resolve({ chat, session, sandbox });
      await chat.exited;
    },
  ).catch((error: unknown) => (hasBegun ? reportBug(error) : begun.reject(error)));
  return { ...(await begun.promise), gone };
}
