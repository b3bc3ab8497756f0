import type { Approval } from '../../../contract/approvals.ts';
import type { ListedTask } from '../../../contract/task.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Column } from '../../output/table.ts';
import { callsOfTasks, waitText } from '../approvals/calls-of-tasks.ts';
import { paintStatus } from './paint-status.ts';
import { directoryShower, projectHere } from './task-directories.ts';
import { hasEnded } from '../../../contract/has-ended.ts';
import { type ShowStep, whileWaiting } from '../../output/while-waiting.ts';

export interface ListOptions {
  status?: string[];
  priority?: string;
  source?: string;
  sourceId?: string;
  agent?: string;
  label?: string[];
  createdAfter?: string;
  createdBefore?: string;
  repository?: string;
  here?: boolean;
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
type PageOptions = Pick<ListOptions, 'limit' | 'cursor'>;
interface Page {
  tasks: ListedTask[];
  total: number;
  totalIsLowerBound?: true | undefined;
  nextCursor?: string | undefined;
}

const LARGEST_PAGE = 500;

/** `svc tasks ls`. */
export async function listTasks(cli: Cli, options: ListOptions): Promise<void> {
  const { output } = cli;
  const read = pageReader(cli, options);
  const wait = { isShown: !options.json && !options.quiet, text: 'reading tasks' };
  const page = await whileWaiting(output, wait, (show) =>
    options.all ? readAll(cli, read, show) : read(options),
  );
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
  output.table(columns(cli, page.tasks, calls), page.tasks);
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
        `${page.tasks.length} of ${page.totalIsLowerBound ? 'at least ' : ''}${page.total}. More: --limit ${LARGEST_PAGE}, or --all`,
      ),
    );
}

function columns(cli: Cli, tasks: ListedTask[], calls: ReadonlyMap<string, Approval>): Column<ListedTask>[] {
  const { paint } = cli.output;
  const short = idShortener(cli.output, tasks);
  const show = directoryShower(cli);
  const isOneDirectory = new Set(tasks.map(({ cwd = '' }) => cwd)).size <= 1;
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
    ...(isOneDirectory
      ? []
      : [
          {
            title: 'DIRECTORY',
            value: ({ cwd }: ListedTask) => (cwd === undefined ? '' : show(cwd)),
            isElastic: true,
            cut: 'middle' as const,
            fromWidth: 100,
          },
        ]),
    { title: 'TITLE', value: ({ title = '' }) => title, isElastic: true },
  ];
}

const isFiltered = ({ sort: _sort, order: _order, limit: _limit, ...filters }: ListOptions) =>
  Object.values(filters).some((value) => value !== undefined);

/** Reads a page; the plain list is used where it suffices, because it is cheaper. */
function pageReader(cli: Cli, options: ListOptions): (page: PageOptions) => Promise<Page> {
  const { client } = cli.connect();
  const { status = [], full } = options;
  const fields = fieldsFor(cli, options);
  const others = filtersOf(cli, options);
  const isPlain = Object.keys(others).length === 0 && status.length <= 1 && !status[0]?.includes(',');
  return ({ limit, cursor }) => {
    const page = {
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      ...(full && { full }),
      ...(fields.length > 0 && { fields: fields.join(',') }),
    };
    if (isPlain)
      return client.tasks.list({
        query: { ...page, ...(status[0] !== undefined && { status: status[0] as 'pending' }) },
      });
    return client.tasks.filter({
      query: { ...page, ...others, ...(status.length > 0 && { status: status.join(',') }) },
    });
  };
}

/** The fields to ask for; none for those that the daemon shows unasked. */
function fieldsFor({ output }: Cli, { json, quiet }: ListOptions): string[] {
  if (output.selection) return Object.keys(output.selection.ofRoute('tasks.list')?.['tasks'] ?? {});
  if (json) return [];
  return quiet ? ['id'] : ['id', 'status', 'priority', 'assignedAgent', 'createdAt', 'cwd', 'title'];
}

async function readAll(cli: Cli, read: (page: PageOptions) => Promise<Page>, show: ShowStep): Promise<Page> {
  const tasks: ListedTask[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const page = await read({ limit: LARGEST_PAGE, ...(cursor !== undefined && { cursor }) });
    // Not push(...): a page is small, but the habit overflows the stack with a large one.
    for (const task of page.tasks) tasks.push(task);
    ({ total } = page);
    show({ text: 'reading tasks', done: tasks.length, total });
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const all = { tasks, total: Math.max(total, tasks.length) };
  cli.output.noteOrigin(all, 'tasks.list');
  return all;
}

function filtersOf(cli: Cli, options: ListOptions) {
  const {
    priority,
    source,
    sourceId,
    agent,
    label,
    createdAfter,
    createdBefore,
    repository,
    here,
    q,
    sort,
    order,
  } = options;
  const filters = {
    priority,
    source,
    sourceId,
    agent,
    labels: label?.join(','),
    createdAfter,
    createdBefore,
    repository,
    cwd: here ? projectHere(cli) : undefined,
    q,
    sortBy: sort as 'createdAt' | undefined,
    sortOrder: order as 'asc' | undefined,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [K in keyof typeof filters]?: NonNullable<(typeof filters)[K]>;
  };
}
