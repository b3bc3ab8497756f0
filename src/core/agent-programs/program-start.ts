import type { SessionOrder } from '../agents/drivers/driver.ts';
import type { AgentSandboxes, ProgramStart } from './agent-sandboxes.ts';
import type { FoundProgram } from './configured-agents.ts';
import { writeStartFiles } from './start-files.ts';

export interface StartOrder {
  program: FoundProgram;
  session: Omit<SessionOrder, 'files'>;
  /** Whether the agent only reads its directory; that needs the sandbox. */
  isReadOnly: boolean;
  /** Whether it only reads the repository to which a worktree belongs. */
  isRepositoryReadOnly?: boolean;
  /** Its environment, without what its start adds. */
  env: Record<string, string | undefined>;
  /** Variables among them whose values may name files that it is meant to read. */
  variables: Record<string, string>;
  mark: string;
  signal: AbortSignal;
  /** Takes what people should know of the sandbox, before and after `talk`. */
  onNote: (note: string) => void;
}

/**
 * Lets `talk` start an agent, in the sandbox where its session says so. The files that its preset names, and the sandbox,
 * last until the promise of `talk` settles.
 */
export async function startProgram<T>(
  sandboxes: Pick<AgentSandboxes, 'run'>,
  order: StartOrder,
  talk: (start: ProgramStart, session: SessionOrder) => Promise<T>,
): Promise<T> {
  const { program, isReadOnly, isRepositoryReadOnly = false, variables, mark, signal, onNote } = order;
  const { agent, path } = program;
  await using files = agent.preset.files && (await writeStartFiles(agent.preset.files));
  const session = { ...order.session, files: files?.folder };
  const own = agent.preset.start(session);
  const args = [...agent.args, ...own.argv];
  const env = { ...order.env, ...own.env };
  const { cwd, mcpServers, isSandboxed } = session;
  if (!isSandboxed) return await talk({ argv: [path, ...args], cwd, env, isSandbox: false }, session);
  return await sandboxes.run(
    {
      agent,
      program: path,
      args,
      workspace: cwd,
      isReadOnly,
      isRepositoryReadOnly,
      env,
      mark,
      helpers: mcpServers.map(({ command, args: given }) => [command, ...given] as const),
      named: [...(files?.paths ?? []), ...Object.values(variables)],
      signal,
      onNote,
    },
    (start) => talk(start, session),
  );
}
