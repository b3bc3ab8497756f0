import type { Approval } from '../../../contract/approvals.ts';
import type { Task, TaskChanges } from '../../../contract/task.ts';
import { findVendor, productNames } from '../../../contract/vendors.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { callsOfTasks, waitText } from '../approvals/calls-of-tasks.ts';
import { paintStatus } from './paint-status.ts';
import { refusalLines } from './refusal-lines.ts';
import { hasEnded } from '../../../contract/has-ended.ts';
import { verificationFact, verificationText } from './verification-text.ts';

/** The session of the agent that worked on the task. */
interface TaskSession {
  id: string;
  version?: string | undefined;
}

const PROMPT_LINES = 20;

/** `svc tasks show ID`. */
export async function showTask(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const answer = await client.tasks.get({ params: { id } });
  if (json) return output.json(answer);
  const { task } = answer;
  const call = hasEnded(task) ? undefined : (await callsOfTasks(client, id)).get(id);
  const facts = factsOf(answer, call).filter(
    (fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '',
  );
  for (const [name, value] of facts) {
    const shown = escapeLine(value);
    output.write(
      `${output.paint('dim', name.padEnd(12))} ${name === 'Status' ? paintStatus(output.paint, shown, task.status) : shown}\n`,
    );
  }
  section(cli, 'Description', task.description);
  section(cli, 'Prompt', firstLines(task.prompt));
  section(cli, task.result?.verified === false ? 'Claimed by the agent' : 'Output', task.result?.output);
  section(cli, 'Refused', refusalLines(task).join('\n'));
  section(cli, 'Verification', verificationText(task));
  if (call)
    output.note(`\nSee the call: svc approvals show ${call.id}   Allow it: svc approvals allow ${call.id}`);
  if ((task.result?.changes?.files ?? 0) > 0)
    output.note(
      `\nReview the changes: svc tasks diff ${id}\nTake them: svc tasks apply ${id}   Pull request: svc tasks pr ${id}   Remove them: svc tasks discard ${id}`,
    );
  if (task.bestOf) output.note(`\nCompare the candidates: svc tasks compare ${id}`);
  if (task.status === 'failed')
    output.note(`\nRetry it: svc tasks retry ${id}   See what happened: svc tasks logs ${id}`);
  else if (answer.session && hasEnded(task))
    output.note(`\nContinue its session: svc run --continue ${id} "now also …"`);
  else if (task.held)
    output.note(`\nThe task was imported and is on hold. Release it: svc tasks release ${id}`);
}

function factsOf(
  { task, session }: { task: Task; session?: TaskSession | undefined },
  call: Approval | undefined,
): [string, string | undefined][] {
  const now = Date.now();
  const time = (at: string | undefined) => at && `${at}  (${formatAge(at, now)})`;
  const { error, result } = task;
  return [
    ['Task', task.id],
    ['Title', task.title],
    ['Status', task.status],
    ['Waits for', call && `approval of ${waitText(call, now)}`],
    ['Error', error && `${error.message}  (${error.class}, ${error.code})`],
    ['Agent', [task.agentType ?? task.assignedAgent, session?.version].filter(Boolean).join(' ')],
    ['Session', session?.id],
    ['Continues', task.continues],
    ['Attempts', task.attempts > 1 ? `${task.attempts} of ${task.maxAttempts}` : String(task.attempts)],
    ['Priority', String(task.priority)],
    ['Labels', task.labels.join(', ')],
    ['Source', [sourceName(task.source), task.sourceUrl].filter(Boolean).join('  ')],
    ['Repository', task.branch ? `${task.repository ?? ''} ${task.branch}`.trim() : task.repository],
    ['Directory', task.cwd],
    ['Needs', task.needs?.join(', ')],
    ['Host', task.home],
    ['Daemon', task.daemon && daemonText(task.daemon)],
    ['Branch', result?.changes?.branch],
    ['Changes', result?.changes && changesText(result.changes)],
    ['Pull request', result?.changes?.pullRequest?.url],
    ['Created', time(task.createdAt)],
    ['Started', time(task.startedAt)],
    ['Due', task.scheduledFor],
    ['Finished', time(task.completedAt)],
    ['Took', result && formatDuration(result.duration)],
    [
      'Tokens',
      result?.usage &&
        `${result.usage.totalTokens} (${result.usage.inputTokens} in, ${result.usage.outputTokens} out)`,
    ],
    ['Cost', result?.cost && `${result.cost} USD`],
    ['Verified', verificationFact(task)],
    ['Retry of', task.retriedFrom],
    ['Candidate of', task.parentId],
    ['Candidates', candidatesText(task)],
  ];
}

/** `web-2 on box  (daemon_…)`. */
function daemonText({ id, name = id, host }: NonNullable<Task['daemon']>): string {
  const place = name === host ? name : `${name} on ${host}`;
  return name === id ? place : `${place}  (${id})`;
}

function candidatesText({ bestOf, choice }: Task): string | undefined {
  if (!bestOf) return undefined;
  const agents = bestOf.agents ? ` by ${bestOf.agents.join(', ')}` : '';
  return `${bestOf.count}${agents}${choice ? `; took ${choice.candidateId}: ${choice.reason}` : ''}`;
}

function changesText({ files, additions, deletions }: TaskChanges): string {
  return files === 0 ? 'none' : `${files} ${files === 1 ? 'file' : 'files'}, +${additions} −${deletions}`;
}

function sourceName(source: Task['source']): string {
  const vendor = findVendor(source);
  return vendor ? productNames[vendor] : source;
}

function section({ output }: Cli, title: string, text: string | undefined): void {
  if (!text) return;
  output.write(`\n${output.paint('dim', title)}\n`);
  output.text(text.endsWith('\n') ? text : `${text}\n`);
}

function firstLines(text = ''): string {
  const lines = text.split('\n');
  return lines.length <= PROMPT_LINES
    ? text
    : `${lines.slice(0, PROMPT_LINES).join('\n')}\n… ${lines.length - PROMPT_LINES} more lines: --json`;
}
