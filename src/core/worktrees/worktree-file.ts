import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import type { CommittedFiles } from './committed-files.ts';

const FILE = '.svc/worktree.json';

const commands = z.array(z.string().trim().min(1).max(4000)).max(20).default([]);
const worktreeFileSchema = z.object({
  /** Run in the new worktree before the agent. */
  setup: commands,
  /** Run before the worktree is removed. */
  teardown: commands,
  /** Whether it gets ten ports of its own. */
  ports: z.boolean().default(false),
});
export type WorktreeFile = z.output<typeof worktreeFileSchema>;

/** What the repository says of its worktrees, as it was in a commit, which no agent of the task can have edited. */
export async function readWorktreeFile(files: CommittedFiles): Promise<WorktreeFile> {
  const text = await files.read(FILE);
  if (text === undefined) return worktreeFileSchema.parse({});
  let problem = 'it is not JSON';
  try {
    const parsed = safeParse(worktreeFileSchema, JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    problem = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AgentFailure('invalid_input', 'bad_worktree_file', `${FILE} cannot be used: ${problem}`, {
    isFinal: true,
  });
}
