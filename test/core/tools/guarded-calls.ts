import { z } from 'zod';
import { resolveRealPath } from '../../../src/core/paths/real-path.ts';
import type { Guard, GuardedCall } from '../../../src/core/tools/guards/guard.ts';
import {
  defineTool,
  type Tool,
  type ToolAccess,
  type ToolContext,
  type ToolScope,
} from '../../../src/core/tools/tool.ts';

export const contextIn = (workspace: string, change: Partial<ToolContext> = {}): ToolContext => ({
  workspace,
  userId: 'user_1',
  mode: 'ask',
  mayRunCommands: true,
  isTrusted: true,
  signal: new AbortController().signal,
  ...change,
});

export const testTool = (change: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name: 'test_tool',
    description: 'For tests',
    input: z.object({}),
    isReadOnly: false,
    danger: 'high',
    plan: () => ({ access: {}, run: async () => ({ content: '' }) }),
  }),
  ...change,
});

/** A call as a gate hands it to the guards. */
export async function guardedCall(
  workspace: string,
  access: ToolAccess,
  change: Partial<GuardedCall> = {},
): Promise<GuardedCall> {
  const paths = (access.paths ?? []).map(async ({ path, operation }) => ({
    requested: path,
    operation,
    real: await resolveRealPath(workspace, path),
  }));
  return {
    tool: testTool(),
    args: {},
    access,
    paths: await Promise.all(paths),
    context: contextIn(workspace),
    ...change,
  };
}

export const commandIn = (workspace: string, ...argv: string[]): Promise<GuardedCall> =>
  guardedCall(workspace, { command: { argv, cwd: workspace } });

export const serverCallIn = (workspace: string, args: Record<string, unknown>): Promise<GuardedCall> =>
  guardedCall(workspace, {}, { args, tool: testTool({ server: 'server' }) });

interface RunToolOptions {
  workspace: string;
  guards?: Guard[];
  /** Between the guards and the tool. */
  meanwhile?: () => Promise<unknown>;
  scope?: Partial<ToolScope>;
  context?: Partial<ToolContext>;
}

/** Runs a tool as the gate does: schema, plan, real paths, guards, and then the tool. */
export async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  options: RunToolOptions,
): Promise<string> {
  const context = contextIn(options.workspace, options.context);
  const plan = await tool.plan(tool.input.parse(args), context);
  const call = await guardedCall(options.workspace, plan.access, { tool, args, context });
  for (const guard of options.guards ?? []) {
    const reason = await guard.check(call);
    if (reason !== undefined) throw new Error(`${guard.name}: ${reason}`);
  }
  await options.meanwhile?.();
  const paths = call.paths.map(({ real }) => real);
  const { content } = await plan.run({ paths, mayRead: () => true, isConfined: true, ...options.scope });
  return content;
}
