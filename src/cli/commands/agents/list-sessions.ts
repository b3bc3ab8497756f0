import type { AgentSessionInfo } from '../../../contract/agents.ts';
import { formatAge } from '../../output/duration.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';
import { directoryShower } from '../tasks/task-directories.ts';

interface Options {
  agent?: string;
  limit?: number;
  json?: boolean;
}

/** `svc agents sessions`. */
export async function listSessions(cli: Cli, { agent, limit, json }: Options): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.agents.listSessions({
    query: { ...(agent !== undefined && { agent }), ...(limit !== undefined && { limit }) },
  });
  if (json) return output.json(answer);
  const { sessions } = answer;
  if (sessions.length === 0)
    return output.note(
      'No sessions to continue. Tasks of coding agents leave one when they finish: svc run -a claude "…"',
    );
  const short = idShortener(
    output,
    sessions.map(({ taskId: id }) => ({ id })),
  );
  const show = directoryShower(cli);
  const now = Date.now();
  output.table<AgentSessionInfo>(
    [
      { title: 'TASK', value: ({ taskId }) => short(taskId) },
      { title: 'AGENT', value: (session) => session.agent },
      { title: 'AGE', value: ({ updatedAt }) => formatAge(updatedAt, now) },
      { title: 'DIRECTORY', value: ({ cwd }) => show(cwd), isElastic: true, cut: 'middle' },
      { title: 'TITLE', value: ({ title }) => title, isElastic: true },
    ],
    sessions,
  );
  const [{ taskId } = { taskId: 'ID' }] = sessions;
  output.note(output.paintError('dim', `Continue one: svc run --continue ${short(taskId)} "now also …"`));
}
