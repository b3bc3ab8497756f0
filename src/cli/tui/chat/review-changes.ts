import type { Changes, UndoReport } from '../../../contract/changes.ts';
import { changeRemarks, changeTotals, undoLines } from '../../output/change-lines.ts';
import type { SlashParts } from './slash-parts.ts';

/** Shows what the last turn changed in files, or with `all` the whole conversation. */
export async function showChanges(argument: string, parts: SlashParts): Promise<void> {
  const { apply } = parts;
  if (argument !== '' && argument !== 'all')
    return apply({
      kind: 'note',
      tone: 'warning',
      text: `There is no "${argument}". Use /diff or /diff all.`,
    });
  const turn = argument === 'all' ? 'all' : 'last';
  const id = openConversation(parts);
  if (id === undefined) return;
  const changes = await parts.session.fetch((client) =>
    client.conversations.getChanges({ params: { id }, query: { turn } }),
  );
  if (!changes) return;
  const patch = changes.files.map((file) => file.patch ?? '').join('');
  if (patch !== '') apply({ kind: 'patch', patch });
  apply({ kind: 'note', text: headline(changes, turn) });
  for (const text of changeRemarks(changes)) apply({ kind: 'note', tone: 'warning', text });
}

/** Restores the files that the last turn changed; the next call those of the turn before. */
export async function undoTurn(parts: SlashParts): Promise<void> {
  const { apply } = parts;
  const id = openConversation(parts);
  if (id === undefined) return;
  const report = await parts.session.fetch((client) =>
    client.conversations.undo({ params: { id }, body: {} }),
  );
  if (!report) return;
  const lines = undoLines(report);
  if (lines.length === 0) apply({ kind: 'note', text: 'There is nothing to undo.' });
  else apply({ kind: 'note', text: [undone(report), ...textOf(lines, true)].join('\n') });
  const failed = textOf(lines, false);
  if (failed.length > 0) apply({ kind: 'note', tone: 'bad', text: failed.join('\n') });
  for (const { message } of report.notKept) apply({ kind: 'note', tone: 'warning', text: message });
}

const headline = (changes: Changes, turn: 'last' | 'all') =>
  changes.files.length === 0
    ? `No files are known to have changed${turn === 'last' ? '' : ' in this conversation'}.`
    : `${changeTotals(changes)}${turn === 'last' ? ` by ${named(changes)}. Undo: /undo` : ' in this conversation.'}`;

const undone = (report: UndoReport) => `Undo of ${named(report)}:`;
const named = ({ turn }: Pick<Changes, 'turn'>) =>
  turn?.message === undefined ? 'the last turn' : `"${turn.message}"`;
const textOf = (lines: readonly { text: string; isGood: boolean }[], isGood: boolean) =>
  lines.filter((line) => line.isGood === isGood).map(({ text }) => text);

function openConversation({ session, apply }: SlashParts): string | undefined {
  const id = session.conversationId;
  if (id === undefined) apply({ kind: 'note', text: 'The conversation has not begun.' });
  return id;
}
