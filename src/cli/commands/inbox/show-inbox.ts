import type { Inbox, InboxItem } from '../../../contract/inbox.ts';
import { formatAge } from '../../output/duration.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';
import { summariseCall } from '../approvals/format-call.ts';

/** An item as a row: what it is about, and the command for it. */
interface Row {
  id: string;
  kind: string;
  at?: string | undefined;
  text: string;
  next: (id: string) => string;
}

/** `svc inbox`: what waits for a person, with the next command for each. */
export async function showInbox(
  cli: Cli,
  { limit, json }: { limit?: number; json?: boolean },
): Promise<void> {
  const { output } = cli;
  const inbox = await cli.connect().client.inbox.get({ query: limit === undefined ? {} : { limit } });
  if (json) return output.json(inbox);
  const rows = inbox.items.map(rowOf);
  if (rows.length === 0) output.note('Nothing needs you.');
  else {
    const now = Date.now();
    const short = idShortener(
      output,
      rows.filter(({ id }) => id !== ''),
    );
    const shown = ({ id }: Row) => (id === '' ? '' : short(id));
    output.table<Row>(
      [
        { title: 'ID', value: shown },
        { title: 'KIND', value: ({ kind }) => kind },
        { title: 'SINCE', value: ({ at }) => (at === undefined ? '' : formatAge(at, now)), fromWidth: 100 },
        { title: 'WHAT', value: ({ text }) => text, isElastic: true },
        { title: 'NEXT', value: (row) => row.next(shown(row)) },
      ],
      rows,
    );
  }
  if (rows.length < inbox.counts.needsYou)
    output.note(output.paintError('dim', `${rows.length} of ${inbox.counts.needsYou}. More: --limit`));
  output.note(output.paintError('dim', summaryOf(inbox)));
}

const summaryOf = ({ running, queued, completed }: Inbox): string =>
  `${running.total} running, ${queued} queued, ${completed.total} completed today. See them: svc tasks ls`;

function rowOf(item: InboxItem): Row {
  switch (item.kind) {
    case 'approval': {
      const { id, requestedAt: at } = item.approval;
      const text = summariseCall(item.approval);
      return { id, kind: 'approval', at, text, next: (short) => `svc approvals show ${short}` };
    }
    case 'queue':
      return { id: '', kind: 'queue', text: item.message, next: () => 'svc queue resume' };
    case 'agent': {
      const { type, message } = item.agent;
      return { id: '', kind: 'login', text: message, next: () => `svc agents test ${type}` };
    }
    case 'provider': {
      const { type, name, message } = item.provider;
      return {
        id: '',
        kind: 'provider',
        text: `${name}: ${message}`,
        next: () => `svc providers configure ${type}`,
      };
    }
    case 'webhook': {
      const { id, url, description, failureCount, failingSince: at } = item.webhook;
      const text = `${description ?? url}: paused after ${failureCount} failed attempts`;
      return { id, kind: 'webhook', at, text, next: (short) => `svc webhooks deliveries ${short}` };
    }
    case 'dead_letter': {
      const { id, title, lastError, createdAt: at } = item.deadLetter;
      return {
        id,
        kind: 'dead letter',
        at,
        text: `${title}: ${lastError}`,
        next: (short) => `svc dlq retry ${short}`,
      };
    }
    case 'notification': {
      const { id, title, createdAt: at } = item.notification;
      return { id, kind: 'notification', at, text: title, next: (short) => `svc inbox read ${short}` };
    }
  }
}
