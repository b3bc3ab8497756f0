import { createHash } from 'node:crypto';
import type { PushPayload } from '../../contract/push.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import { cutText } from '../text/cut-text.ts';
import { maskValue } from '../tools/mask-secrets.ts';

const MAX_NAME = 80;
/** A longer text is not looked through for secrets, and nothing of its rest is shown. */
const MAX_READ = 1000;
/** RFC 8030, section 5.4. */
const TOPIC_LENGTH = 32;

/** The topic under which a push service keeps only the newest message about an object. */
export const topicOf = (id: string): string =>
  createHash('sha256').update(id).digest('base64url').slice(0, TOPIC_LENGTH);

/** What a phone shows of an approval: the name of the tool, and nothing of what it would do. */
export function approvalPush(row: ApprovalRow, decidedBy: string | undefined): PushPayload {
  const about = { link: `/approvals/${encodeURIComponent(row.id)}`, tag: topicOf(row.id) };
  const tool = line(row.tool);
  if (row.status === 'pending') return { ...about, kind: 'approval', title: `Allow ${tool}?` };
  const by = decidedBy === undefined ? '' : ` by ${line(decidedBy)}`;
  const outcome = { approved: `allowed${by}`, denied: `denied${by}` }[row.status] ?? 'not decided in time';
  return { ...about, kind: 'decided', title: `${tool}: ${outcome}` };
}

/** What a phone shows of a task that failed or waits: its title. */
export const taskPush = (
  { id, title }: { id: string; title: string },
  kind: 'failure' | 'waiting',
): PushPayload => ({
  kind,
  title: `${kind === 'failure' ? 'Failed' : 'Waiting'}: ${line(title)}`,
  link: `/tasks/${encodeURIComponent(id)}`,
  tag: topicOf(id),
});

/** Text of others on one line, without secrets and with everything visible. */
function line(text: string): string {
  const masked = String(maskValue(cutText(text, MAX_READ)));
  const shown = visibleLine(masked.replaceAll(/\s+/g, ' ').trim());
  return shown.length > MAX_NAME ? `${cutText(shown, MAX_NAME - 1)}…` : shown;
}
