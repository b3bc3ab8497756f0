import { dirname } from 'node:path';
import { visibleLine } from '../../../contract/visible-text.ts';
import type { Tool, ToolAccess, ToolContext } from '../tool.ts';
import { kindOfCommand } from './command-kind.ts';

/** The kind of a call: what `allow-always` would cover. */
export interface Coverage {
  /** Equal for two calls exactly if an `allow-always` of the one covers the other. */
  same: unknown;
  /** In words, for the person who decides. */
  covers: string;
}

export interface CoveredCall {
  tool: Tool;
  args: Record<string, unknown>;
  access: ToolAccess;
  /** The real paths of the call. */
  paths: readonly string[];
  context: ToolContext;
}

/** Never the tool as a whole: a program with its kind of arguments, files of one directory, pages of one site, or the call. */
export async function coverageOf(call: CoveredCall): Promise<Coverage> {
  const { same, covers } = await kindOf(call);
  const { tool, access, context } = call;
  return {
    same: [tool.name, tool.server ?? null, access.environment ?? null, context.workspace, same],
    covers: visibleLine(covers),
  };
}

async function kindOf({ tool, args, access, paths, context }: CoveredCall): Promise<Coverage> {
  const { command, scripts = [], external, covered } = access;
  if (external) return { ...exactly(tool, args), same: ['of', external.agent, covered ?? args] };
  if (tool.server !== undefined) return exactly(tool, args);
  if (command?.parts) return exactly(tool, args);
  if (command)
    return kindOfCommand(command.argv, { cwd: command.cwd, workspace: context.workspace, scripts });
  const directories = [...new Set(paths.map((path) => dirname(path)))];
  if (directories.length > 0)
    return {
      same: ['files in', directories],
      covers: `${tool.name} on files directly in ${directories.join(', ')}`,
    };
  const origin = typeof args['url'] === 'string' ? URL.parse(args['url'])?.origin : undefined;
  if (origin !== undefined && tool.isReadOnly)
    return { same: ['pages of', origin], covers: `${tool.name} of pages of ${origin}` };
  return exactly(tool, args);
}

const exactly = ({ name }: Tool, args: Record<string, unknown>): Coverage => ({
  same: ['exactly', args],
  covers: `${name} with exactly these arguments`,
});
