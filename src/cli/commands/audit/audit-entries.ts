import type { AuditEntry } from '../../../contract/audit.ts';
import type { Cli } from '../../program/cli.ts';
import { type Fact, formatFacts } from '../../output/facts.ts';

export interface ListAuditOptions {
  tool?: string;
  user?: string;
  from?: string;
  to?: string;
  limit?: number;
  offset?: number;
  json?: boolean;
}

/** `svc audit ls`. */
export async function listAudit(cli: Cli, options: ListAuditOptions): Promise<void> {
  const { output } = cli;
  const { tool, user, from, to, limit, offset, json } = options;
  const answer = await cli.connect().client.audit.list({
    query: {
      ...(tool !== undefined && { tool }),
      ...(user !== undefined && { userId: user }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(limit !== undefined && { limit }),
      ...(offset !== undefined && { offset }),
    },
  });
  if (json) return output.json(answer);
  const { entries, total } = answer;
  if (entries.length === 0) return output.note('No audit entries.');
  output.table<AuditEntry>(
    [
      { title: 'TIME', value: ({ timestamp }) => timestamp.slice(0, 19).replace('T', ' ') },
      { title: 'EVENT', value: (entry) => entry.tool },
      { title: 'RESULT', value: ({ result }) => result },
      { title: 'USER', value: ({ userId = '' }) => userId, isElastic: true },
      { title: 'FROM', value: ({ address = '' }) => address, fromWidth: 100 },
      { title: 'ID', value: ({ id }) => id, fromWidth: 130 },
    ],
    entries,
  );
  if (entries.length < total)
    output.note(output.paintError('dim', `${entries.length} of ${total}. More: --limit, --offset`));
}

/** `svc audit show ID`. */
export async function showAudit(cli: Cli, id: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.audit.get({ params: { id } });
  if (json) return output.json(answer);
  const { arguments: values, ...entry } = answer.entry;
  const facts = Object.entries(entry).map(([name, value]): Fact => [name, String(value)]);
  output.write(formatFacts([...facts, ['arguments', JSON.stringify(values)]], output.paint));
}
