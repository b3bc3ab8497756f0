import type { Approval } from '../../../contract/approvals.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import { findApproval, loadApproval } from './find-approval.ts';
import { formatCall, summariseCall } from './format-call.ts';

/** More than can be pending at a time. */
const MOST = 500;

interface Format {
  json?: boolean;
}

/** `svc approvals ls`: pending calls in full; with --all a table of all. */
export async function listApprovals(
  cli: Cli,
  { all = false, json, quiet }: Format & { all?: boolean; quiet?: boolean },
): Promise<void> {
  const { output } = cli;
  const status = all ? 'all' : 'pending';
  const answer = await cli.connect().client.approvals.list({ query: { status, limit: MOST } });
  if (json) return output.json(answer);
  const { approvals } = answer;
  if (quiet) return output.write(approvals.map(({ id }) => `${id}\n`).join(''));
  if (all) return tabulate(cli, approvals);
  if (approvals.length === 0)
    return output.note('No pending approvals. List decided ones: svc approvals ls --all');
  output.write(approvals.map((approval) => wholeCall(cli, approval)).join('\n'));
  const [{ id } = { id: 'ID' }] = approvals;
  output.note(`\nAllow it: svc approvals allow ${id}   Deny it: svc approvals deny ${id}`);
}

/** `svc approvals show ID`. */
export async function showApproval(cli: Cli, text: string, { json }: Format): Promise<void> {
  const { client } = cli.connect();
  const id = await findApproval(client, text);
  const approval = await loadApproval(client, id);
  if (json) return cli.output.json({ approval });
  cli.output.write(wholeCall(cli, approval));
  if (approval.status === 'pending')
    cli.output.note(
      `\nAllow it: svc approvals allow ${id}   Change it: svc approvals edit ${id}   Deny it: svc approvals deny ${id}`,
    );
}

const wholeCall = ({ output: { paint, width } }: Cli, approval: Approval) =>
  formatCall(approval, { paint, width, now: Date.now() });

function tabulate({ output }: Cli, approvals: Approval[]): void {
  if (approvals.length === 0) return output.note('No approvals yet.');
  const now = Date.now();
  const short = idShortener(output, approvals);
  output.table<Approval>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      {
        title: 'STATUS',
        value: ({ status }) => status,
        paint: (cell, { status }) => output.paint(colours[status], cell),
      },
      { title: 'REQUESTED', value: ({ requestedAt }) => formatAge(requestedAt, now) },
      { title: 'CALL', value: summariseCall, isElastic: true },
      { title: 'FROM', value: ({ taskId, conversationId = '' }) => taskId ?? conversationId, fromWidth: 150 },
    ],
    approvals,
  );
}

const colours = {
  pending: 'yellow',
  approved: 'green',
  denied: 'red',
  expired: 'dim',
} as const satisfies Record<Approval['status'], string>;
