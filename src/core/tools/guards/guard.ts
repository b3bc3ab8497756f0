import type { GuardName } from '../../../contract/guards.ts';
import type { Tool, ToolAccess, ToolContext } from '../tool.ts';

/** A path of a call with the place that it really leads to. */
export interface ResolvedPath {
  /** As the model gave it. */
  given: string;
  does: 'read' | 'write';
  /** Absolute, without links: of what is not there yet, the real place of the deepest folder that is, and the rest. */
  real: string;
}

/** A call as the guards see it. */
export interface GuardedCall {
  tool: Tool;
  args: Record<string, unknown>;
  access: ToolAccess;
  paths: ResolvedPath[];
  context: ToolContext;
}

/** Looks at every call before it runs, in every mode. */
export interface Guard {
  name: GuardName;
  /** Why the call may not run, as a sentence for the model and the audit log; undefined where nothing is wrong. */
  check(call: GuardedCall): string | undefined | Promise<string | undefined>;
}
