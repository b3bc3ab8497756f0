import type { z } from 'zod';
import type { Approval } from '../../contract/approvals.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';

/** What a client shows a person before it calls a tool; named as in the protocol. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** One call of a tool. */
export interface ServedCall {
  caller: Caller;
  /** Aborts when the client cancels the call, disconnects, or loses access. */
  signal: AbortSignal;
  /** Sends the client how far the call is; absent where it did not ask for that. */
  report?: ((message: string) => void) | undefined;
  /** Whether the client takes a handle in place of the result of a long call. */
  takesHandle: boolean;
  /** Whether the client can ask the person at it, and what that one has answered. */
  person: 'absent' | 'unasked' | 'allowed' | 'refused';
  /** Asks that person while the call runs, where the client takes questions then: up to revision 2025-11-25. */
  ask?: AskPerson | undefined;
}

/**
 * Asks the person at the client about a call of an agent until the signal aborts, and resolves with its approval after the
 * answer or a decision elsewhere; it is still pending where no one has decided.
 */
export type AskPerson = (approval: Approval, signal: AbortSignal) => Promise<Approval>;

/** What a call answers. */
export type ServedAnswer =
  | { structured: Record<string, unknown>; text: string }
  /** The id of the task that the client polls in place of waiting. */
  | { handle: string }
  /** What the person is asked to allow. */
  | { confirm: string };

/** A tool that clients of the Model Context Protocol may call. */
export interface ServedTool {
  name: string;
  title: string;
  description: string;
  hints: ToolHints;
  /** An API token needs one of these; undefined where only people may call it. */
  scopes: readonly Scope[] | undefined;
  input: z.ZodObject;
  output: z.ZodObject;
  /** Throws an `AppError` whose message is for the model. */
  run(input: unknown, call: ServedCall): Promise<ServedAnswer>;
}

interface ToolInput<I extends z.ZodObject> extends Omit<ServedTool, 'input' | 'run'> {
  input: I;
  run(input: z.output<I>, call: ServedCall): Promise<ServedAnswer>;
}

/** Declares a tool whose `run` gets the input as its schema reads it. */
export const defineServedTool = <I extends z.ZodObject>(tool: ToolInput<I>): ServedTool => ({
  ...tool,
  run: (input, call) => tool.run(input as z.output<I>, call),
});

/** Whether the tool is listed for the caller. */
export const mayCall = (caller: Caller, { scopes }: Pick<ServedTool, 'scopes'>): boolean =>
  caller.token === undefined || (scopes?.some((scope) => caller.token?.scopes.includes(scope)) ?? false);

/** Throws `forbidden` unless the caller may call the tool, which may be unlisted for it and known all the same. */
export function requireMayCall(caller: Caller, tool: Pick<ServedTool, 'scopes'>): void {
  if (mayCall(caller, tool)) return;
  throw new AppError(
    'forbidden',
    tool.scopes
      ? `The API token needs the scope ${tool.scopes.join(' or ')}`
      : 'Only a signed-in user may do this, not an API token',
  );
}

/** Reads, and nothing else. */
export const reads: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
