import { runEventOf } from '../../../src/contract/task-run-events.ts';
import type { Task, TaskEvent } from '../../../src/contract/task.ts';
import type { TestDaemon } from '../daemon.ts';
import { player, readTranscript, type Transcript, transcriptPath } from './transcripts.ts';

/** The settings with which the program of an agent is the player; the task names the transcript. */
export const playedAgent = (agent: string): Record<string, unknown> => ({
  [`agents.${agent}.program`]: process.execPath,
  [`agents.${agent}.args`]: [player],
});

export interface RecordedRun {
  task: Task;
  events: TaskEvent[];
  transcript: Transcript;
}

/** Events after which a task waits instead of ending. */
const waits = new Set(['retry_scheduled', 'deferred', 'waiting_for_agent']);

/**
 * Runs a recorded scenario as a task, with a person who decides as the recording says; one that then waits for another
 * attempt is left there.
 */
export async function runRecorded(
  { client }: TestDaemon,
  agent: string,
  [folder, scenario]: [folder: string, scenario: string],
  { cwd, ...input }: Partial<Task> & { cwd: string },
): Promise<RecordedRun> {
  const transcript = readTranscript(folder, scenario);
  const { cancel: cancelAt, decide } = transcript;
  const { task: created } = await client.tasks.create({
    body: {
      title: scenario,
      prompt: transcript.prompts[0] ?? '',
      assignedAgent: agent,
      cwd,
      securityMode: 'ask',
      env: { AGENT_TRANSCRIPT: transcriptPath(folder, scenario) },
      ...input,
    },
  });
  const { id } = created;
  const events: TaskEvent[] = [];
  let decided = 0;
  let isCancelled = false;
  let text = '';
  const cancel = async (at: typeof cancelAt) => {
    if (cancelAt !== at || isCancelled) return;
    isCancelled = true;
    await client.tasks.cancel({ params: { id } });
  };
  for await (const { data: event } of client.tasks.listEventsStream({ params: { id } })) {
    events.push(event);
    if (waits.has(event.type)) break;
    const run = runEventOf(event);
    if (run?.type === 'text:delta') {
      text += run.data.delta;
      if (text.length > 20) await cancel('text');
    }
    if (run?.type === 'tool:call' && decided >= transcript.expect.permissions.length) await cancel('tool');
    if (run?.type === 'approval:requested') {
      if (cancelAt === 'permission') {
        await cancel('permission');
        continue;
      }
      const wanted = decide[Math.min(decided, decide.length - 1)] ?? 'allow_once';
      decided++;
      await client.approvals.decide({
        params: { id: run.data.approval.id },
        body: { decision: wanted.startsWith('allow') ? 'allow-once' : 'deny' },
      });
    }
    if (run?.type === 'approval:decided' && decided >= transcript.expect.permissions.length)
      await cancel('tool');
  }
  const { task } = await client.tasks.get({ params: { id } });
  return { task, events, transcript };
}
