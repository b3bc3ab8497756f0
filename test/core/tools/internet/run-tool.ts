import { type Tool, type ToolContext, type ToolOutput } from '../../../../src/core/tools/tool.ts';

/** Runs a tool as the gate does, without guards. */
export async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolOutput> {
  const context: ToolContext = {
    workspace: '/nowhere',
    userId: 'user_ann',
    mode: 'ask',
    mayRunCommands: false,
    isTrusted: true,
    signal,
  };
  const plan = await tool.plan(tool.input.parse(args), context);
  return plan.run({ paths: [], mayRead: () => false, isConfined: true });
}
