import type { z } from 'zod';
import type { SecurityMode } from '../../contract/security-mode.ts';
import type { Danger } from '../../contract/tools.ts';
import { PathError } from '../paths/path-error.ts';

/** For whom a tool works, and where. */
export interface ToolContext {
  /** The folder of the work: absolute, every link resolved. */
  workspace: string;
  userId: string;
  mode: SecurityMode;
  /** Whether commands may run without a sandbox where there is none, once a person agreed to it. */
  mayRunCommands: boolean;
  /** False where a stranger's text set the work going: no shell, no writing to the network. */
  isTrusted: boolean;
  conversationId?: string | undefined;
  taskId?: string | undefined;
  /** Aborts when the run is cancelled or out of time. */
  signal: AbortSignal;
}

/** A path as the model gave it; relative ones are below the workspace. */
export interface PathAccess {
  path: string;
  does: 'read' | 'write';
}

/** What a call will touch, known before anything is touched: the guards look at nothing else. */
export interface ToolAccess {
  paths?: PathAccess[];
  /** The program and its arguments, exactly as they will be run, without a shell. */
  command?: { argv: string[]; cwd: string };
  /** Stands for the environment that the command gets, such as whether it is in a sandbox. */
  environment?: string;
  /** Why nobody but a person may let this call run, such as a program that runs other programs; undefined else. */
  needsPerson?: string;
}

/** What the guards found, for the tool to work with. */
export interface ToolScope {
  /** The real place of each of the plan's paths, in their order; what is not there yet is below a real folder. */
  paths: string[];
  /** Whether the guards let a tool look at this real place, for tools that come across others on their way. */
  mayRead(realPath: string): boolean;
  /** Whether the guards let a tool leave the workspace: its links, too, then lead anywhere. */
  isConfined: boolean;
}

/** What a model is told of a call that went well. */
export interface ToolOutput {
  content: string;
  /** Says whose text it is where it came from elsewhere, such as `A web page`: it is fenced as data. */
  origin?: string;
}

export interface ToolPlan {
  access: ToolAccess;
  /** Does it. Throws a `ToolFailure` for what the model should hear of. */
  run(scope: ToolScope): Promise<ToolOutput>;
}

/** One thing that a model can do. A new one is a file with this interface and a line in the list of tools. */
export interface Tool<Arguments = unknown> {
  /** Snake case; what the model calls. */
  name: string;
  /** For the model: what it does, when to use it, what it answers. */
  description: string;
  /** What the arguments have to be; of an MCP tool the server knows more. */
  input: z.ZodType<Arguments>;
  /** The JSON Schema that an MCP server gave; of other tools it is made from `input`. */
  inputSchema?: Record<string, unknown>;
  isReadOnly: boolean;
  danger: Danger;
  /** The MCP server that offers it. */
  server?: string;
  /** Why it cannot be used now; undefined when it can. */
  unavailable?(): string | undefined;
  /** Says what the call will touch, and touches nothing. Throws a `ToolFailure` for arguments that make no sense. */
  plan(args: Arguments, context: ToolContext): ToolPlan | Promise<ToolPlan>;
}

/** A call that did not work, in words for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  /** Says whose words they are where they came from elsewhere, as of an output. */
  readonly origin: string | undefined;
  constructor(message: string, options: ErrorOptions & { origin?: string } = {}) {
    super(message, options);
    this.origin = options.origin;
  }
}

/** Whether an error is an answer for the model, not a bug. */
export const isToolFailure = (error: unknown): error is ToolFailure | PathError =>
  error instanceof ToolFailure || error instanceof PathError;

/** Keeps the type of the arguments between the schema and the plan. */
export const defineTool = <Arguments>(tool: Tool<Arguments>): Tool => tool;

/** The longest answer of a tool that a model is shown, in characters. */
export const MAX_OUTPUT = 50_000;
