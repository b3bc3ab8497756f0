import type { Candidate } from '../../../contract/task.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { formatTokens } from '../../output/format-tokens.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';
import { paintStatus } from './paint-status.ts';

/** `svc tasks compare ID`. */
export async function compareCandidates(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const answer = await client.tasks.getCandidates({ params: { id } });
  if (json) return output.json(answer);
  const { candidates, choice } = answer;
  if (candidates.length === 0) return output.note('No candidate has started yet.');
  const short = idShortener(
    output,
    candidates.map(({ taskId }) => ({ id: taskId })),
  );
  const { paint } = output;
  output.table<Candidate>(
    [
      { title: '', value: ({ isWinner }) => (isWinner ? '✓' : ''), paint: (cell) => paint('green', cell) },
      { title: 'ID', value: ({ taskId }) => short(taskId) },
      { title: 'AGENT', value: ({ agent = '' }) => agent, isElastic: true },
      {
        title: 'STATUS',
        value: ({ status }) => status,
        paint: (cell, { status }) => paintStatus(paint, cell, status),
      },
      { title: 'VERIFIED', value: ({ verification }) => verifiedText(verification) },
      { title: 'FILES', value: ({ files }) => (files === undefined ? '' : String(files)), align: 'right' },
      { title: '+/−', value: linesText, align: 'right' },
      {
        title: 'TOKENS',
        value: ({ usage }) => (usage ? formatTokens(usage.totalTokens) : ''),
        align: 'right',
        fromWidth: 70,
      },
      {
        title: 'COST',
        value: ({ cost }) => (cost === undefined ? '' : `$${cost}`),
        align: 'right',
        fromWidth: 80,
      },
      {
        title: 'TIME',
        value: ({ durationMs }) => (durationMs === undefined ? '' : formatDuration(durationMs)),
        align: 'right',
        fromWidth: 60,
      },
    ],
    candidates,
  );
  for (const { taskId, status, reason } of candidates)
    if (status === 'failed' && reason !== undefined)
      output.note(`${output.paintError('red', '✗')} ${short(taskId)} ${escapeLine(reason)}`);
  if (choice)
    output.note(
      `${output.paintError('green', '✓')} ${short(choice.candidateId)} ${escapeLine(choice.reason)}`,
    );
  const [first] = candidates;
  const shown = choice?.candidateId ?? first?.taskId ?? '';
  output.note(
    output.paintError(
      'dim',
      choice
        ? `See the changes of one: svc tasks diff ${short(shown)}  Take them: svc tasks apply ${short(shown)}`
        : `See the changes of one: svc tasks diff ${short(shown)}  Choose it: svc tasks pick ${id} ${short(shown)}`,
    ),
  );
}

const verifiedText = (verification: Candidate['verification']) =>
  verification === undefined ? '' : verification === 'passed' ? 'yes' : 'no';

const linesText = ({ additions, deletions }: Candidate) =>
  additions === undefined ? '' : `+${additions} −${deletions ?? 0}`;

/** The candidate with this number, as the run counts them, or the only one of this agent. */
function namedCandidate(text: string, candidates: readonly Candidate[]): string | undefined {
  if (/^[1-9]$/.test(text)) return candidates[Number(text) - 1]?.taskId;
  const found = candidates.filter(({ agent }) => agent === text);
  return found.length === 1 ? found[0]?.taskId : undefined;
}

/** `svc tasks pick ID CANDIDATE`. */
export async function pickCandidate(
  cli: Cli,
  { text, candidate }: { text: string; candidate: string },
  { json }: { json?: boolean },
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const { candidates } = await client.tasks.getCandidates({ params: { id } });
  const candidateId =
    namedCandidate(candidate, candidates) ??
    (await resolveId(candidate, {
      ...idsOf(client, 'task'),
      noun: 'candidate',
      listCommand: `svc tasks compare ${id}`,
      async *list() {
        for (const { taskId } of candidates) yield taskId;
      },
    }));
  const answer = await client.tasks.pick({ params: { id }, body: { candidateId } });
  if (json) return output.json(answer);
  output.line(`${answer.message}.`);
  output.note(output.paintError('dim', `Take its changes: svc tasks apply ${id}`));
}
