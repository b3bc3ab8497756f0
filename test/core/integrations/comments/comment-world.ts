import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, type Flags } from '../../../../src/core/config/config.ts';
import { AppError } from '../../../../src/core/errors.ts';
import type { Log } from '../../../../src/core/log.ts';
import type { Database } from '../../../../src/core/storage/database.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import type { TaskChange } from '../../../../src/core/tasks/task-columns.ts';
import type { MoveName } from '../../../../src/core/tasks/task-states.ts';
import { composeComments } from '../../../../src/core/integrations/comments/compose-comments.ts';
import type { CommentTarget } from '../../../../src/core/integrations/inbound/source-work.ts';
import { newApproval } from '../../../helpers/approvals.ts';
import { CommentVendors, vendorSettings } from '../../../helpers/comment-vendors.ts';
import { newTask, openStorage } from '../../../helpers/storage.ts';
import { manualTimer } from '../../outbound/manual-timer.ts';

// Loaded beforehand, so that no virtual time passes while it is.
await import('marked');

export const github: CommentTarget = { provider: 'github', repository: 'acme/web', number: 12 };
export const jira: CommentTarget = {
  provider: 'jira',
  site: 'https://example.atlassian.net',
  issueKey: 'WEB-12',
};
export const linear: CommentTarget = {
  provider: 'linear',
  issueId: '9e383f51-2629-4f19-97ff-451cc2f0a0ad',
};
export const targets = [github, jira, linear];

export const began = Date.parse('2026-01-01T00:00:00.000Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The connections of one owner: `undefined` is none, an error is what asking for the token answers. */
export class FakeConnections {
  tokens: Record<string, string | Error | undefined> = {};
  accounts: Record<string, Record<string, unknown>> = {
    jira: { cloudId: 'cloud-1', sites: [{ id: 'cloud-1', url: 'https://example.atlassian.net' }] },
  };

  async find(userId: string, provider: 'github' | 'jira' | 'linear') {
    if (this.tokens[`${userId} ${provider}`] === undefined) return undefined;
    const account = this.accounts[provider] ?? {};
    return { provider, accountId: '1', account, scopes: [], expiresAt: undefined };
  }

  async accessToken(userId: string, provider: string): Promise<string> {
    const token = this.tokens[`${userId} ${provider}`];
    if (token === undefined) throw new AppError('wrong_state', `${provider} is not connected`);
    if (token instanceof Error) throw token;
    return token;
  }
}

export interface WorldOptions {
  flags?: Flags;
  /** Without what anything could be written with. */
  isUnconnected?: boolean;
}

/** Comments whose vendors, clock and timer are the test's. */
export async function openWorld({ flags = {}, isUnconnected = false }: WorldOptions = {}) {
  const storage = await openStorage();
  const timer = manualTimer(began);
  const vendors = new CommentVendors(timer.now);
  const connections = new FakeConnections();
  if (!isUnconnected)
    for (const { provider } of targets) connections.tokens[`user_owner ${provider}`] = `token-of-${provider}`;
  const config = new Config({
    env: {},
    settingsFile: join(tmpdir(), 'svc-there-is-no-such-folder', 'settings.json'),
    flags: { ...vendorSettings(), ...flags },
  });
  const logged: { level: string; message: string; fields: object }[] = [];
  const note = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, message, fields });
  const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const runtime = {
    ...systemRuntime,
    now: timer.now,
    monotonic: () => timer.now().getTime(),
    random: () => 0,
  };
  /** What the test may put between the comments and the world. */
  const between = { fetch: vendors.fetch, write: async (): Promise<void> => undefined };
  const database: Database = {
    ...storage.database,
    write: async (work) => between.write().then(() => storage.database.write(work)),
  };
  const joined = () =>
    composeComments({
      database,
      bus: storage.bus,
      config,
      connections,
      fetch: (...request) => between.fetch(...request),
      runtime,
      log,
      setTimer: timer.setTimer,
    }).services.sourceComments;
  const world = {
    ...storage,
    vendors,
    connections,
    timer,
    config,
    logged,
    between,
    comments: joined(),
    /** Lets the time pass, and everything come to rest. */
    async advance(ms = 0) {
      await timer.advance(ms);
      await timer.settle();
    },
    /** A task that waits, with its comment. */
    async addTask(id = 'task_1', target: CommentTarget = github) {
      await storage.database.write(async (transaction) => {
        await storage.store.insert(transaction, newTask(id, { status: 'queued' }), []);
        world.comments.add(transaction, { taskId: id, ownerId: 'user_owner', target });
      });
      return id;
    },
    async move(id: string, move: MoveName, change: TaskChange = {}) {
      const type = ({ claim: 'started', postpone: 'retry_scheduled', revive: 'requeued' } as const)[
        move as 'claim'
      ];
      const ended = { complete: 'completed', fail: 'failed', cancel: 'cancelled' } as const;
      await storage.database.write(async (transaction) => {
        const head = await storage.store.lockHead(transaction, id);
        if (!head) throw new Error('There is no such task');
        const event = { type: type ?? ended[move as 'fail'], message: move };
        if (!(await storage.store.move(transaction, head, move, timer.now(), change, [event])))
          throw new Error(`The task cannot ${move}`);
      });
    },
    begin: (id = 'task_1') => world.move(id, 'claim', { attempts: 1 }),
    complete: (id = 'task_1', output = 'the report', duration = 125_000) =>
      world.move(id, 'complete', {
        completed_at: timer.now().toISOString(),
        result: JSON.stringify({ success: true, output, artifacts: [], duration }),
      }),
    fail: (id = 'task_1') =>
      world.move(id, 'fail', {
        completed_at: timer.now().toISOString(),
        error: JSON.stringify({ class: 'timeout', code: 'x', message: 'It hung' }),
      }),
    row: async (id = 'task_1') =>
      storage.database.read
        .selectFrom('source_comments')
        .selectAll()
        .where('task_id', '=', id)
        .executeTakeFirstOrThrow(),
    /** The process ends, whatever it is at, and another starts. */
    async restart() {
      await world.comments.stop();
      world.rejoin();
      await world.advance();
    },
    /** Another process, whatever became of the one before. */
    rejoin() {
      world.comments = joined();
      world.comments.start();
    },
    async [Symbol.asyncDispose]() {
      await world.comments.stop();
      await storage[Symbol.asyncDispose]();
    },
  };
  return world;
}
export type World = Awaited<ReturnType<typeof openWorld>>;

/** Lets a person be asked about something that nobody else is to know. */
export async function addApproval(world: World) {
  const row = {
    id: 'appr_1',
    ...newApproval({
      arguments: '{"command":"rm -rf /"}',
      reason: 'rm -rf removes files',
      binding: 'b',
    }),
    status: 'pending',
    decision: null,
    requested_at: world.timer.now().toISOString(),
    expires_at: new Date(world.timer.now().getTime() + HOUR).toISOString(),
    decided_at: null,
    decided_by: null,
    denial_reason: null,
    decider: null,
    used_at: null,
  };
  await world.database.write(({ db }) => db.insertInto('approvals').values(row).execute());
  world.bus.emit('approval', { row, approval: {} as never });
  return row;
}
