import { productNames, vendorOf } from '../../contract/vendors.ts';
import { allAtOnce, type IdKind, idKind, pagesByCursor, pagesByOffset } from './id-kind.ts';

/** Every kind of id that a command takes, once: lookup, completion and hints derive from this table. */
export const idKinds = {
  task: idKind({
    prefix: 'task_',
    noun: 'task',
    listCommand: 'svc tasks ls',
    get: (client, id, request) => client.tasks.get({ params: { id } }, request),
    list: (client, { limit, request }) =>
      pagesByCursor(async (cursor) => {
        const query = { fields: 'id,title,status', limit, ...(cursor !== undefined && { cursor }) };
        const { tasks, nextCursor } = await client.tasks.list({ query }, request);
        return { rows: tasks, nextCursor };
      }),
    label: ({ status = '', title = '' }) => `${status} ${title}`,
  }),
  deadLetter: idKind({
    prefix: 'dlq_',
    noun: 'dead letter',
    listCommand: 'svc dlq ls --status all',
    get: (client, id, request) => client.dlq.get({ params: { id } }, request),
    list: (client, { limit, isOpenOnly, request }) =>
      pagesByOffset(limit, async (offset) => {
        const query = { status: isOpenOnly ? 'pending' : 'all', limit, offset } as const;
        return (await client.dlq.list({ query }, request)).items;
      }),
    label: ({ title }) => title,
  }),
  notification: idKind({
    prefix: 'ntf_',
    noun: 'notification',
    listCommand: 'svc inbox',
    list: (client, { limit, isOpenOnly, request }) =>
      pagesByOffset(limit, async (offset) => {
        const query = { limit, offset, ...(isOpenOnly && { unread: true }) };
        return (await client.notifications.list({ query }, request)).notifications;
      }),
    label: ({ title }) => title,
  }),
  schedule: idKind({
    prefix: 'sched_',
    noun: 'schedule',
    listCommand: 'svc schedules ls',
    get: (client, id, request) => client.schedules.get({ params: { id } }, request),
    list: (client, { limit, request }) =>
      pagesByOffset(
        limit,
        async (offset) => (await client.schedules.list({ query: { limit, offset } }, request)).schedules,
      ),
    label: ({ name }) => name,
  }),
  experience: idKind({
    prefix: 'exp_',
    noun: 'experience',
    listCommand: 'svc experiences ls',
    get: (client, id, request) => client.experiences.get({ params: { id } }, request),
    list: (client, { limit, request }) =>
      pagesByOffset(
        limit,
        async (offset) => (await client.experiences.list({ query: { limit, offset } }, request)).experiences,
      ),
    label: ({ intent }) => intent,
  }),
  memorySession: idKind({
    prefix: 'memsess_',
    noun: 'memory session',
    listCommand: 'svc memory sessions ls',
    list: (client, { limit, isOpenOnly, request }) =>
      pagesByOffset(limit, async (offset) => {
        const query = { limit, offset, ...(isOpenOnly && { status: 'active' as const }) };
        return (await client.memory.listSessions({ query }, request)).sessions;
      }),
    label: ({ name }) => name,
  }),
  conversation: idKind({
    prefix: 'conv_',
    noun: 'conversation',
    listCommand: 'svc chat ls',
    list: (client, { limit, request }) =>
      pagesByOffset(
        limit,
        async (offset) =>
          (await client.conversations.list({ query: { limit, offset } }, request)).conversations,
      ),
    label: ({ title }) => title,
  }),
  browser: idKind({
    prefix: 'psub_',
    noun: 'browser',
    listCommand: 'svc devices notifications ls',
    list: (client, { request }) => allAtOnce(async () => (await client.push.list({}, request)).subscriptions),
    label: ({ service }) => service,
  }),
  inboundDelivery: idKind({
    prefix: 'inb_',
    noun: 'inbound delivery',
    listCommand: 'svc webhooks inbound',
    get: (client, id, request) => client.inbound.get({ params: { id } }, request),
    list: (client, { limit, request }) =>
      pagesByOffset(
        limit,
        async (offset) => (await client.inbound.list({ query: { limit, offset } }, request)).deliveries,
      ),
    label: ({ provider, event, status }) => `${productNames[vendorOf(provider)]} ${event} ${status}`,
  }),
  invite: idKind({
    prefix: 'invite_',
    noun: 'invite',
    listCommand: 'svc auth invites ls',
    list: (client, { request }) => allAtOnce(async () => (await client.invites.list({}, request)).invites),
    label: ({ role, email = '' }) => `${role} ${email}`,
  }),
  signingKey: idKind({
    prefix: 'skey_',
    noun: 'signing key',
    listCommand: 'svc approvals keys ls',
    list: (client, { limit, request }) =>
      pagesByOffset(
        limit,
        async (offset) => (await client.keys.list({ query: { limit, offset } }, request)).keys,
      ),
    label: ({ name }) => name,
  }),
  session: idKind({
    prefix: 'sess_',
    noun: 'session',
    listCommand: 'svc auth sessions ls',
    list: (client, { request }) => allAtOnce(async () => (await client.sessions.list({}, request)).sessions),
    label: ({ kind, address = '' }) => `${kind} ${address}`,
  }),
  user: idKind({
    prefix: 'user_',
    noun: 'user',
    listCommand: 'svc auth users ls',
    list: (client, { request }) => allAtOnce(async () => (await client.users.list({}, request)).users),
    label: ({ email }) => email,
  }),
  token: idKind({
    prefix: 'token_',
    noun: 'token',
    listCommand: 'svc tokens ls',
    list: (client, { request }) => allAtOnce(async () => (await client.tokens.list({}, request)).tokens),
    label: ({ name }) => name,
  }),
  device: idKind({
    prefix: 'dev_',
    noun: 'device',
    listCommand: 'svc devices ls',
    list: (client, { request }) => allAtOnce(async () => (await client.devices.list({}, request)).devices),
    label: ({ name }) => name,
  }),
  approval: idKind({
    prefix: 'appr_',
    noun: 'approval',
    listCommand: 'svc approvals ls --all',
    list: (client, { limit, isOpenOnly, request }) =>
      allAtOnce(async () => {
        const query = { status: isOpenOnly ? 'pending' : 'all', limit } as const;
        const { approvals } = await client.approvals.list({ query }, request);
        const { summariseCall } = await import('../commands/approvals/format-call.ts');
        return approvals.map((approval) => ({ id: approval.id, call: summariseCall(approval) }));
      }),
    label: ({ call }) => call,
  }),
  webhook: idKind({
    prefix: 'wh_',
    noun: 'webhook',
    listCommand: 'svc webhooks ls',
    list: (client, { request }) => allAtOnce(async () => (await client.webhooks.list({}, request)).webhooks),
    label: ({ status, url }) => `${status} ${url}`,
  }),
  /** Of the webhook that `within` names. */
  delivery: idKind({
    prefix: 'dlv_',
    noun: 'delivery',
    listCommand: 'svc webhooks deliveries WEBHOOK',
    list: (client, { limit, within = '', request }) =>
      allAtOnce(async () => {
        const input = { params: { id: within }, query: { limit } };
        return (await client.webhooks.listDeliveries(input, request)).deliveries;
      }),
    label: ({ event, status }) => `${event} ${status}`,
  }),
  /** Of the user that `within` names. */
  preference: idKind({
    prefix: 'pref_',
    noun: 'preference',
    listCommand: 'svc memory preferences ls',
    list: (client, { within = 'me', request }) =>
      allAtOnce(
        async () => (await client.preferences.list({ params: { userId: within } }, request)).preferences,
      ),
    label: ({ category, value }) => `${category}: ${value}`,
  }),
} satisfies Record<string, IdKind>;

export type IdKindName = keyof typeof idKinds;
