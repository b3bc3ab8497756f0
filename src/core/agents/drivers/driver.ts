import type { FailureClass } from '../../../contract/task.ts';

/** What a tool call does, whatever its agent calls the tool. */
export type CallKind = 'shell' | 'edit' | 'read' | 'mcp' | 'plan' | 'other';

/** `completed` means that the tool ran, not that what it ran succeeded; `declined` that it was not allowed to run. */
export type CallStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'declined';

/** A file that a call changes: its texts where the agent reports them, else the agent's own diff. */
export interface CallDiff {
  path: string;
  oldText?: string | undefined;
  newText?: string | undefined;
  diff?: string | undefined;
}

/** A tool call, as the agent has described it so far. */
export interface AgentCall {
  id: string;
  kind: CallKind;
  /** The agent's own name of the tool. */
  name: string;
  title: string;
  /** The arguments; absent while the agent has not said them. */
  input?: Record<string, unknown> | undefined;
  status: CallStatus;
  /** All of its output that the agent reported. */
  output?: string | undefined;
  exitCode?: number | undefined;
  diff?: CallDiff[] | undefined;
}

/** A call that the agent may make only if it is allowed to. */
export interface PermissionQuestion {
  call: AgentCall;
  /** Everything that the call does, which a decision is bound to; undefined where the agent does not say: then it is denied. */
  bound: Record<string, unknown> | undefined;
  /** The shell command and its directory, of a call of the kind `shell`. */
  command?: { text: string; cwd?: string | undefined } | undefined;
  /** The files that the call names, as the agent names them. */
  paths?: { path: string; operation: 'read' | 'write' }[] | undefined;
  /** The MCP server and its tool, of a call of the kind `mcp`. */
  mcp?: { server: string; tool: string } | undefined;
  /** Whether the arguments are data, not text for people that was parsed: only then a rule may allow the call. */
  isExact: boolean;
  /** Whether the agent asks for a call without saying its arguments: then a person decides on the tool alone. */
  hidesArguments?: boolean | undefined;
  /** The question again with the arguments, where the agent says them only after it has asked. It may never settle. */
  later?: Promise<PermissionQuestion> | undefined;
}

/** The decision, made by svc alone: an agent is never told to remember one. `cancelled`: the run ends. */
export type PermissionAnswer =
  | { decision: 'allow' }
  | { decision: 'deny'; reason?: string | undefined }
  | { decision: 'cancelled' };

/** What the session used so far in this process; absent fields are not reported. */
export interface AgentUsage {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  /** By the agent's own price list. */
  costUsd?: number | undefined;
}

export interface PlanEntry {
  text: string;
  status: string;
}

/** What a driver tells of a run, in order. No method throws. */
export interface DriverListener {
  onSession(id: string): void;
  onText(delta: string): void;
  onThinking(delta: string): void;
  /** A call that is new or has changed; the same object each time. */
  onCall(call: AgentCall): void;
  onPlan(entries: PlanEntry[]): void;
  onUsage(usage: AgentUsage): void;
  /** Each model call that the agent is known to have made. */
  onStep(): void;
  /** Anything else that people may want to know, such as a retry of the agent's own. */
  onNote(note: string): void;
  ask(question: PermissionQuestion): Promise<PermissionAnswer>;
}

/** A server of the Model Context Protocol that the agent gets for the session. */
export interface SessionMcpServer {
  name: string;
  command: string;
  args: readonly string[];
  env: Record<string, string>;
}

export interface SessionOrder {
  /** The directory to work in, as a real absolute path. */
  cwd: string;
  /** The session to continue. */
  resume?: string | undefined;
  model?: string | undefined;
  /** The mode of the agent in which it asks; for agents of the Agent Client Protocol. */
  mode?: string | undefined;
  mcpServers: readonly SessionMcpServer[];
  /** The folder that holds the files of its preset. */
  files?: string | undefined;
  /** Whether the whole agent runs in the sandbox of svc: then it starts without one of its own. */
  isSandboxed: boolean;
}

export interface PromptImage {
  /** Such as `image/png`. */
  mediaType: string;
  base64: string;
}

export interface DriverFailure {
  class: FailureClass;
  /** Machine-readable, such as `unknown_model`. */
  code: string;
  /** A sentence for people. */
  message: string;
  /** When a usage limit is reset, in epoch milliseconds. */
  resetsAt?: number | undefined;
}

/** The end of a turn, judged: an exit code of 0 or the end of a turn alone is no success. */
export type TurnEnd =
  | { outcome: 'completed'; text: string }
  | { outcome: 'failed'; text: string; failure: DriverFailure }
  | { outcome: 'cancelled'; text: string };

export interface AgentExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Speaks the protocol of an agent: lines in, lines out, no processes and no timers. Unknown messages and lines that cannot
 * be read are ignored. All promises that are open when the program exits settle as failed.
 */
export interface AgentDriver {
  /** Takes a line of the program's output, without its line break. */
  receive(line: string): void;
  /** The program has exited; `detail` is the end of what it wrote to stderr. */
  close(exit: AgentExit, detail: string): void;
  /** Opens the session. Resolves with `session_not_found` where the one to continue does not exist. */
  open(order: SessionOrder): Promise<{ sessionId?: string | undefined } | { failure: DriverFailure }>;
  /** Sends a prompt and resolves at the end of its turn; one at a time. Never rejects. */
  prompt(text: string, images?: readonly PromptImage[]): Promise<TurnEnd>;
  /** Asks the agent to stop the turn, after every open question is answered `cancelled`; the turn then ends `cancelled`. */
  cancel(): void;
}

/** Creates a driver; `send` writes a message as one line of JSON. */
export type CreateDriver = (send: (message: object) => void, listener: DriverListener) => AgentDriver;
