import type { Approval } from '../../../contract/approvals.ts';
import type { ListedTask } from '../../../contract/task.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import type { Paint } from '../../output/output.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Column } from '../../output/table.ts';
import { callsOfTasks, waitText } from '../approvals/calls-of-tasks.ts';
import { paintStatus } from './paint-status.ts';
import { hasEnded } from './task-outcome.ts';

export interface ListOptions {
  status?: string[];
  priority?: string;
  source?: string;
  agent?: string;
  label?: string[];
  createdAfter?: string;
  createdBefore?: string;
  repository?: string;
  q?: string;
  sort?: string;
  order?: string;
  limit?: number;
  cursor?: string;
  all?: boolean;
  full?: boolean;
  json?: boolean;
  quiet?: boolean;
}
interface Page {
  tasks: ListedTask[];
  total: number;
  nextCursor?: string | undefined;
}

const LARGEST_PAGE = 500;

/** `svc tasks ls`. */
export async function listTasks(cli: Cli, options: ListOptions): Promise<void> {
  const { output } = cli;
  const page = options.all ? await readAll(cli, options) : await readPage(cli, options);
  if (options.json) return output.json(page);
  if (options.quiet) return output.write(page.tasks.map(({ id }) => `${id}\n`).join(''));
  if (page.tasks.length === 0)
    return output.note(
      page.total === 0 && !isFiltered(options)
        ? 'No tasks yet. Run one: svc run --agent command -- "echo hello"'
        : 'No matching tasks. List all: svc tasks ls',
    );
  const calls = page.tasks.some(({ status }) => status !== undefined && !hasEnded({ status }))
    ? await callsOfTasks(cli.connect().client)
    : new Map<string, Approval>();
  const short = idShortener(output, page.tasks);
  output.table(columns(output.paint, short, calls), page.tasks);
  for (const { id } of page.tasks) {
    const call = calls.get(id);
    if (call)
      output.note(
        `${output.paintError('yellow', '!')} ${short(id)} waits for approval of ${waitText(call, Date.now())}`,
      );
  }
  if (page.tasks.some(({ id }) => calls.has(id))) output.note('  Decide: svc approvals ls');
  if (page.nextCursor !== undefined)
    output.note(
      output.paintError(
        'dim',
        `${page.tasks.length} of ${page.total}. More: --limit ${LARGEST_PAGE}, or --all`,
      ),
    );
}

function columns(
  paint: Paint,
  short: (id: string) => string,
  calls: ReadonlyMap<string, Approval>,
): Column<ListedTask>[] {
  const now = Date.now();
  return [
    { title: 'ID', value: ({ id }) => short(id) },
    {
      title: 'STATUS',
      value: ({ status = '' }) => status,
      paint: (cell, { id, status }) =>
        calls.has(id) ? paint('yellow', cell) : paintStatus(paint, cell, status),
    },
    { title: 'P', value: ({ priority }) => String(priority ?? ''), align: 'right', fromWidth: 100 },
    { title: 'AGENT', value: ({ assignedAgent = '' }) => assignedAgent, fromWidth: 100 },
    { title: 'CREATED', value: ({ createdAt }) => (createdAt ? formatAge(createdAt, now) : '') },
    { title: 'TITLE', value: ({ title = '' }) => title, isElastic: true },
  ];
}

const isFiltered = ({ sort: _sort, order: _order, limit: _limit, ...filters }: ListOptions) =>
  Object.values(filters).some((value) => value !== undefined);

/** Uses the plain list where it suffices, because it is cheaper. */
async function readPage(cli: Cli, options: ListOptions): Promise<Page> {
  const { client } = cli.connect();
  const { status = [], limit, cursor, full } = options;
  const page = {
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
    ...(full && { full }),
  };
  const others = filtersOf(options);
  if (Object.keys(others).length === 0 && status.length <= 1 && !status[0]?.includes(','))
    return client.tasks.list({
      query: { ...page, ...(status[0] !== undefined && { status: status[0] as 'pending' }) },
    });
  return client.tasks.filter({
    query: { ...page, ...others, ...(status.length > 0 && { status: status.join(',') }) },
  });
}

async function readAll(cli: Cli, options: ListOptions): Promise<Page> {
  const tasks: ListedTask[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const page = await readPage(cli, {
      ...options,
      limit: LARGEST_PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    // Not push(...): a page is small, but the habit overflows the stack with a large one.
    for (const task of page.tasks) tasks.push(task);
    total = page.total;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { tasks, total };
}

function filtersOf(options: ListOptions) {
  const { priority, source, agent, label, createdAfter, createdBefore, repository, q, sort, order } = options;
  const filters = {
    priority,
    source,
    agent,
    labels: label?.join(','),
    createdAfter,
    createdBefore,
    repository,
    q,
    sortBy: sort as 'createdAt' | undefined,
    sortOrder: order as 'asc' | undefined,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [K in keyof typeof filters]?: NonNullable<(typeof filters)[K]>;
  };
}
