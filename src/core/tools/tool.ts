import type { z } from 'zod';
import type { SecurityMode } from '../../contract/security-mode.ts';
import type { Danger } from '../../contract/tools.ts';
import type { MemoryScope } from '../memory/memory-scope.ts';
import { PathError } from '../paths/path-error.ts';
import type { CommandPart } from './commands/command-chain.ts';
import type { FileKeeper } from './file-keeper.ts';

/** The user, workspace and limits of a tool call. */
export interface ToolContext {
  /** The directory of the work, as a real absolute path. */
  workspace: string;
  userId: string;
  mode: SecurityMode;
  /** Whether commands may run unsandboxed where there is no sandbox, each after an approval. */
  mayRunCommands: boolean;
  /** False if the work was triggered by untrusted input: no commands, no writing to the network. */
  isTrusted: boolean;
  conversationId?: string | undefined;
  taskId?: string | undefined;
  /** The part of the memory that the run uses; what belongs to no project unless set. */
  memoryScope?: MemoryScope;
  /** For new files; the one that the daemon was started with unless set. */
  umask?: number | undefined;
  /** Aborts when the run is cancelled or times out. */
  signal: AbortSignal;
}

/** A path as the model gave it; relative paths start at the workspace. */
export interface PathAccess {
  path: string;
  operation: 'read' | 'write';
}

/** A file that a call runs. */
export interface ScriptFile {
  /** The real path. */
  path: string;
  /** In hexadecimal. */
  sha256: string;
}

/** What a call will access, declared before it runs. The guards check this. */
export interface ToolAccess {
  paths?: PathAccess[];
  /** The program and its arguments, exactly as they will run, without a shell; `parts` if it is more than one program. */
  command?: { argv: string[]; cwd: string; parts?: CommandPart[] };
  /** The environment of the command, such as `sandbox` or `no sandbox`. */
  environment?: string;
  /** The files that the call runs, with the hashes that they have now. */
  scripts?: ScriptFile[];
  /** The agent that runs the call itself, the session in which it does, and all that the call is; absent for the calls that svc runs. */
  external?: { agent: string; session: string; call: Record<string, unknown> };
  /** Whether a shell of the agent interprets the text of the command; `command` is what can be read from it. */
  isShellText?: boolean;
  /** What an `allow-always` covers, in place of the arguments. */
  covered?: unknown;
  /** Why this call always needs an approval, such as a program that runs other programs; otherwise undefined. */
  needsPerson?: string;
  /** Whether `needsPerson` is asked for in the mode `full` too, instead of a refusal. */
  isAskedInFull?: boolean;
}

/** The results of the guards that the tool works with. */
export interface ToolScope {
  /** The real path of each of the plan's paths, in order. */
  paths: string[];
  /** Whether the guards allow reading this real path, for tools that discover further paths while they run. */
  mayRead(realPath: string): boolean;
  /** Whether a file holds credentials by its content; undefined while the guard of secrets is off. */
  isSecret?: (realPath: string) => Promise<boolean>;
  /** Whether the tool is confined to the workspace; otherwise links in it may lead anywhere. */
  isConfined: boolean;
  /** Keeps the files that the call changes, so that a person can undo it. */
  keeper?: FileKeeper;
  /** The state of the file that a person saw when they allowed the call; the call fails if it is another one. */
  basis?: string;
}

/** The output of a successful call, for the model. */
export interface ToolOutput {
  content: string;
  /** The source of untrusted text, such as `A web page`; such text is fenced as data. */
  origin?: string;
}

/** What a call would do to a file. It is for the person who decides, not for the model. */
export interface ChangePreview {
  /** The file, as the call names it. */
  path: string;
  /** The state of the file, in any text that differs when the file does. */
  basis: string;
  /** The texts to compare; no `before` for a new file. */
  change?: { before: string | undefined; after: string };
  /** Why there are no texts, as a sentence. */
  problem?: string;
  /** Why the call would fail. */
  failure?: ToolFailure | PathError;
}

export interface ToolPlan {
  access: ToolAccess;
  /** Finds what the call would change in a file, without side effects. Called only for a call that the guards let pass. */
  preview?(scope: ToolScope): Promise<ChangePreview>;
  /** Executes the call. Throws a `ToolFailure` for failures that the model should see. */
  run(scope: ToolScope): Promise<ToolOutput>;
}

/** A tool that models can call. To add one, implement this interface in a file and add it to the list of tools. */
export interface Tool<Arguments = unknown> {
  /** In snake case; the name that the model uses. */
  name: string;
  /** For the model: what it does, when to use it, what it returns. */
  description: string;
  /** Validates the arguments; the server of an MCP tool may validate further. */
  input: z.ZodType<Arguments>;
  /** The JSON Schema from an MCP server; for other tools it is derived from `input`. */
  inputSchema?: Record<string, unknown>;
  isReadOnly: boolean;
  danger: Danger;
  /** The MCP server that offers it. */
  server?: string;
  /** Directories besides the workspace that calls for this server may name, as an administrator configured them. */
  roots?: readonly string[];
  /** Why the tool is not available; undefined if it is. */
  unavailable?(): string | undefined;
  /** Declares what the call will access, without side effects. Throws a `ToolFailure` for invalid arguments. */
  plan(args: Arguments, context: ToolContext): ToolPlan | Promise<ToolPlan>;
}

/** A failed call; the message is for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  /** The source of the message if it is untrusted text, as in `ToolOutput`. */
  readonly origin: string | undefined;
  constructor(message: string, options: ErrorOptions & { origin?: string } = {}) {
    super(message, options);
    this.origin = options.origin;
  }
}

/** Whether the message of an error is meant for the model, as opposed to a bug. */
export const isToolFailure = (error: unknown): error is ToolFailure | PathError =>
  error instanceof ToolFailure || error instanceof PathError;

/** Defines a tool whose plan gets the type that its schema infers. */
export const defineTool = <Arguments>(tool: Tool<Arguments>): Tool => tool;

/** The longest output of a tool that is sent to a model, in characters. */
export const MAX_OUTPUT = 50_000;
