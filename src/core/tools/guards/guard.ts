import type { GuardName } from '../../../contract/guards.ts';
import type { Tool, ToolAccess, ToolContext } from '../tool.ts';

/** A path of a call and the real path it resolves to. */
export interface ResolvedPath {
  /** The path as the model gave it. */
  requested: string;
  operation: 'read' | 'write';
  /** Absolute, without links; for a new file, the real path of its deepest existing directory and the rest. */
  real: string;
}

/** A call that the guards check. */
export interface GuardedCall {
  tool: Tool;
  args: Record<string, unknown>;
  access: ToolAccess;
  paths: ResolvedPath[];
  context: ToolContext;
}

/** Checks every call before it runs, in every mode. */
export interface Guard {
  name: GuardName;
  /** Why the call is refused, as a sentence for the model and the audit log; undefined if it may run. */
  check(call: GuardedCall): string | undefined | Promise<string | undefined>;
}
