import { ApiError, type Client } from '../contract/client.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

const PAGE = 500;
/** Beyond this many of the newest ones a prefix is not looked for. */
const MOST = 20_000;
const SHOWN = 5;

/** Where ids of one kind are looked up. */
export interface IdSource {
  /** What such an id begins with, such as `task_`. */
  prefix: string;
  /** A word for it, such as `task`. */
  noun: string;
  /** Rejects with a 404 when there is none; left out where the whole list is as cheap. */
  get?: (id: string) => Promise<unknown>;
  /** The ids, newest first. */
  list: () => AsyncIterable<string>;
}

/** The whole id for an id or a unique beginning of one, with or without what its kind begins with. */
export async function resolveId(text: string, { prefix, noun, get, list }: IdSource): Promise<string> {
  if (new RegExp(`^${prefix}[0-9a-f-]{36}$`).test(text)) return text;
  if (text === '' || text === prefix)
    throw new CliError(exitCodes.usage, `That is no ${noun} id.`, { next: `See them: ${listCommand[noun]}` });
  if (get && (await exists(text, get))) return text;
  const found: string[] = [];
  for await (const id of list())
    if (id.startsWith(text) || id.startsWith(prefix + text)) {
      found.push(id);
      if (found.length > SHOWN) break;
    }
  const [only, ...others] = found;
  if (only === undefined) throw noSuch(noun, text);
  if (others.length === 0) return only;
  const more = found.length > SHOWN ? ' …' : '';
  throw new CliError(
    exitCodes.invalid,
    `"${text}" is the beginning of several ${noun} ids: ${found.slice(0, SHOWN).join(', ')}${more}.`,
    {
      next: 'Type more of it.',
    },
  );
}

/** Does something with what an id or its beginning names; one that is gone is told like a beginning that fits none. */
export async function withId<T>(
  text: string,
  source: IdSource,
  act: (id: string) => Promise<T>,
): Promise<{ id: string; answer: T }> {
  const id = await resolveId(text, source);
  try {
    return { id, answer: await act(id) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw noSuch(source.noun, text, error);
    throw error;
  }
}

const noSuch = (noun: string, text: string, cause?: unknown) =>
  new CliError(exitCodes.notFound, `There is no ${noun} "${text}".`, {
    next: `See them: ${listCommand[noun]}`,
    cause,
  });

const listCommand: Record<string, string> = {
  task: 'svc tasks ls',
  'dead letter': 'svc dlq ls --status all',
  invite: 'svc auth invites ls',
  session: 'svc auth sessions ls',
  user: 'svc auth users ls',
  token: 'svc tokens ls',
  device: 'svc devices ls',
  approval: 'svc approvals ls --all',
  conversation: 'svc chat, and there /conversations',
  webhook: 'svc webhooks ls',
  delivery: 'svc webhooks deliveries WEBHOOK',
  'delivery that came in': 'svc webhooks inbound',
  schedule: 'svc schedules ls',
  experience: 'svc experiences ls',
  'memory session': 'svc memory sessions ls',
  preference: 'svc memory preferences ls',
};

async function exists(id: string, get: NonNullable<IdSource['get']>): Promise<boolean> {
  try {
    await get(id);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return false;
    throw error;
  }
}

/** The ids of tasks. */
export const taskIds = (client: Client): IdSource => ({
  prefix: 'task_',
  noun: 'task',
  get: (id) => client.tasks.get({ params: { id } }),
  async *list() {
    let cursor: string | undefined;
    for (let seen = 0; seen < MOST; seen += PAGE) {
      const page = await client.tasks.list({
        query: { fields: 'id', limit: PAGE, ...(cursor !== undefined && { cursor }) },
      });
      for (const { id } of page.tasks) yield id;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  },
});

/** The ids of dead letters. */
export const deadLetterIds = (client: Client): IdSource => ({
  prefix: 'dlq_',
  noun: 'dead letter',
  get: (id) => client.dlq.get({ params: { id } }),
  async *list() {
    for (let offset = 0; offset < MOST; offset += PAGE) {
      const { items } = await client.dlq.list({ query: { status: 'all', limit: PAGE, offset } });
      for (const { id } of items) yield id;
      if (items.length < PAGE) return;
    }
  },
});

/** The ids of schedules. */
export const scheduleIds = (client: Client): IdSource => ({
  prefix: 'sched_',
  noun: 'schedule',
  get: (id) => client.schedules.get({ params: { id } }),
  async *list() {
    for (let offset = 0; offset < MOST; offset += PAGE) {
      const { schedules } = await client.schedules.list({ query: { limit: PAGE, offset } });
      for (const { id } of schedules) yield id;
      if (schedules.length < PAGE) return;
    }
  },
});

/** The ids of experiences. */
export const experienceIds = (client: Client): IdSource => ({
  prefix: 'exp_',
  noun: 'experience',
  get: (id) => client.experiences.get({ params: { id } }),
  async *list() {
    for (let offset = 0; offset < MOST; offset += PAGE) {
      const { experiences } = await client.experiences.list({ query: { limit: PAGE, offset } });
      for (const { id } of experiences) yield id;
      if (experiences.length < PAGE) return;
    }
  },
});

/** The ids of memory sessions. */
export const memorySessionIds = (client: Client): IdSource => ({
  prefix: 'memsess_',
  noun: 'memory session',
  async *list() {
    for (let offset = 0; offset < MOST; offset += PAGE) {
      const { sessions } = await client.memory.sessions({ query: { limit: PAGE, offset } });
      for (const { id } of sessions) yield id;
      if (sessions.length < PAGE) return;
    }
  },
});

/** The ids of a list that comes whole. */
const idsOf = (noun: string, prefix: string, list: () => Promise<{ id: string }[]>): IdSource => ({
  prefix,
  noun,
  async *list() {
    for (const { id } of await list()) yield id;
  },
});

export const inviteIds = ({ invites }: Client): IdSource =>
  idsOf('invite', 'invite_', async () => (await invites.list()).invites);

export const sessionIds = ({ sessions }: Client): IdSource =>
  idsOf('session', 'sess_', async () => (await sessions.list()).sessions);

export const userIds = ({ users }: Client): IdSource =>
  idsOf('user', 'user_', async () => (await users.list()).users);

export const tokenIds = ({ tokens }: Client): IdSource =>
  idsOf('token', 'token_', async () => (await tokens.list()).tokens);

export const deviceIds = ({ devices }: Client): IdSource =>
  idsOf('device', 'dev_', async () => (await devices.list()).devices);

export const approvalIds = ({ approvals }: Client, status: 'pending' | 'all'): IdSource =>
  idsOf(
    'approval',
    'appr_',
    async () => (await approvals.list({ query: { status, limit: PAGE } })).approvals,
  );

export const webhookIds = ({ webhooks }: Client): IdSource =>
  idsOf('webhook', 'wh_', async () => (await webhooks.list()).webhooks);

export const preferenceIds = ({ preferences }: Client, userId: string): IdSource =>
  idsOf('preference', 'pref_', async () => (await preferences.list({ params: { userId } })).preferences);

/** The ids of the newest deliveries to a webhook. */
export const deliveryIds = ({ webhooks }: Client, webhookId: string): IdSource =>
  idsOf(
    'delivery',
    'dlv_',
    async () => (await webhooks.deliveries({ params: { id: webhookId }, query: { limit: PAGE } })).deliveries,
  );

/** The ids of deliveries of other systems. */
export const inboundIds = ({ inbound }: Client): IdSource => ({
  prefix: 'inb_',
  noun: 'delivery that came in',
  get: (id) => inbound.get({ params: { id } }),
  async *list() {
    for (let offset = 0; offset < MOST; offset += PAGE) {
      const { deliveries } = await inbound.list({ query: { limit: PAGE, offset } });
      for (const { id } of deliveries) yield id;
      if (deliveries.length < PAGE) return;
    }
  },
});
