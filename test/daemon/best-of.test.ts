import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/contract/task.ts';
import type { AgentRun } from '../../src/core/agents/agent-adapter.ts';
import { compete, failing, writer } from '../helpers/candidates.ts';
import { temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { type ModelServer, says, type Script } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

let daemon: TestDaemon;
let model: ModelServer;
/** Held runs by the id of their task. */
const held = new Map<string, AgentRun>();
const hold = (run: AgentRun) =>
  new Promise<void>((_, reject) => {
    held.set(run.task.id, run);
    run.signal.addEventListener('abort', () => reject(run.signal.reason as Error));
  });

beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon({
    // Each task and all of its candidates share one slot.
    flags: { 'queue.concurrency': 1 },
    extraAdapters: [
      writer('short', { 'door.txt': 'blue\n' }),
      writer('long', { 'door.txt': 'blue\nand\nred\n' }),
      writer('wrong', { 'door.txt': 'grey\n' }),
      writer('idle', {}),
      writer('slow', { 'door.txt': 'blue\n' }, hold),
      writer('spender', { 'door.txt': 'blue\n' }, (run) => {
        run.emit({ type: 'progress', message: '', data: { type: 'usage', input: 5000, output: 1000 } });
        return hold(run);
      }),
      failing('broken', 'auth'),
    ],
  }));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const refuses: Script = (reply) => reply.json(400, { error: { message: 'no' } });
const candidatesOf = (id: string) => daemon.client.tasks.getCandidates({ params: { id } });
const get = async (id: string): Promise<Task> => (await daemon.client.tasks.get({ params: { id } })).task;
const patchOf = async (id: string) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of daemon.client.tasks.getPatch({ params: { id } })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};
/** Resolves once the task waits for a person. */
const waiting = (id: string) =>
  until(async () => {
    const { events } = await daemon.client.tasks.listEvents({ params: { id } });
    expect(events.map(({ data }) => data['waitsFor'])).toContain('pick');
  });
const worktreesOf = (repository: GitRepository) =>
  repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/svc').split('\n').filter(Boolean);

describe('a task with candidates, with one slot for all tasks', () => {
  it('takes the candidate whose verification passed with the fewest changed lines', async () => {
    const repository = new GitRepository();
    const agents = ['long', 'wrong', 'short', 'idle'];
    const id = await compete(daemon, repository, { agents, count: 4 }, { verify: ['! grep grey door.txt'] });
    const { task, events } = await follow(daemon.client, id);
    expect(task).toMatchObject({
      status: 'completed',
      agentType: 'best-of',
      choice: { by: 'verify', reason: 'fewest changed lines: 1, the next one 3' },
      result: {
        output: 'short is done',
        verification: { status: 'passed' },
        changes: { files: 1, additions: 1, patch: `/api/tasks/${id}/changes/patch` },
        usage: { totalTokens: 480, inputTokens: 400 },
        cost: '0.04',
        candidates: [
          { agent: 'long', status: 'completed', verification: 'passed', additions: 3, isWinner: false },
          { agent: 'wrong', status: 'failed', verification: 'failed', isWinner: false },
          { agent: 'short', status: 'completed', isWinner: true, usage: { totalTokens: 120 } },
          { agent: 'idle', status: 'completed', files: 0, isWinner: false },
        ],
      },
    });
    const messages = events.map(({ message }) => message);
    for (const name of ['long (1 of 4)', 'wrong (2 of 4)', 'short (3 of 4)', 'idle (4 of 4)'])
      expect(messages).toContain(`${name}: working`);
    expect(messages).toContain('short (3 of 4): completed');
    const { candidates } = await candidatesOf(id);
    expect(candidates).toEqual(task.result?.candidates);
    // What failed is told once, by the task itself.
    const { items } = await daemon.client.dlq.list();
    expect(items.filter(({ taskId }) => candidates.some((each) => each.taskId === taskId))).toEqual([]);
    const child = await get(candidates[0]?.taskId ?? '');
    expect(child).toMatchObject({
      parentId: id,
      worktree: true,
      title: 'Candidate 1 of 4: Compete',
      prompt: 'Paint the door',
    });
  });

  it('gives the changes of the winner to the task, and keeps those of the others in snapshots', async () => {
    const repository = new GitRepository();
    const id = await compete(daemon, repository, { agents: ['long', 'short'], count: 2 });
    const { task } = await follow(daemon.client, id);
    const winner = task.choice?.candidateId ?? '';
    const loser = task.result?.candidates?.find(({ isWinner }) => !isWinner)?.taskId ?? '';
    expect(await patchOf(id)).toContain('+blue\n');
    await until(() => expect(worktreesOf(repository)).toEqual([`svc/${winner}`]));
    expect(await patchOf(loser)).toContain('+red\n');
    const applied = await daemon.client.tasks.applyChanges({ params: { id } });
    expect(applied).toMatchObject({ status: 'applied', files: 1 });
    expect(repository.read('door.txt')).toBe('blue\n');
    const discarded = await daemon.client.tasks.discardChanges({ params: { id }, body: {} });
    expect(discarded).toMatchObject({ status: 'discarded', snapshot: `refs/svc/snapshots/${winner}` });
    expect(worktreesOf(repository)).toEqual([]);
    expect(await patchOf(id)).toContain('+blue\n');
  });

  it('fails like the candidate that came furthest, and keeps all worktrees until they are discarded', async () => {
    const repository = new GitRepository();
    const id = await compete(
      daemon,
      repository,
      { agents: ['broken', 'wrong'], count: 2 },
      { verify: ['! grep grey door.txt'] },
    );
    const { task } = await follow(daemon.client, id);
    expect(task).toMatchObject({
      status: 'failed',
      error: { class: 'verify_failed', message: expect.stringContaining('None of 2 candidates completed') },
      result: { candidates: [{ status: 'failed', reason: 'broken went wrong' }, { status: 'failed' }] },
    });
    expect(task.choice).toBeUndefined();
    await expect(daemon.client.tasks.applyChanges({ params: { id } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`svc tasks compare ${id}`),
    });
    const { items } = await daemon.client.dlq.list();
    const [letter, ...others] = items.filter(
      ({ taskId }) => taskId === id || task.result?.candidates?.some((each) => each.taskId === taskId),
    );
    expect([letter?.taskId, others]).toEqual([id, []]);
    await expect(daemon.client.dlq.retry({ params: { id: letter?.id ?? '' } })).rejects.toMatchObject({
      message: expect.stringContaining('svc tasks retry'),
    });
    // The one without changes goes by itself.
    await until(() => expect(worktreesOf(repository)).toHaveLength(1));
    await daemon.client.tasks.discardChanges({ params: { id }, body: {} });
    expect(worktreesOf(repository)).toEqual([]);
  });

  it('takes what a model chooses, which does not know who made what', async () => {
    const repository = new GitRepository();
    model.asked.length = 0;
    model.script = (reply, asked) => {
      const text = JSON.stringify(asked.body.messages);
      const isFirst = text.indexOf('+red') < text.indexOf('Candidate 2: its answer');
      return says(`Well: {"choice": ${isFirst ? 1 : 2}, "reason": "It paints more"}`)(reply, asked);
    };
    const id = await compete(daemon, repository, { agents: ['short', 'long'], count: 2, pick: 'judge' });
    const { task } = await follow(daemon.client, id);
    expect(task).toMatchObject({
      choice: { by: 'judge', reason: 'It paints more' },
      result: { output: 'long is done', usage: { totalTokens: 258 } },
    });
    const question = JSON.stringify(model.asked[0]?.body.messages);
    expect(question).toContain('Paint the door');
    expect(question).not.toContain('svc/task_');
    expect(question).toContain('never an instruction');
  });

  it.each([
    ['talks nonsense', says('The second, I think'), 'no usable answer'],
    ['names a candidate that is not there', says('{"choice": 7, "reason": "lucky"}'), 'no usable answer'],
    ['cannot be asked', refuses, 'could not be asked'],
  ] as const)('falls back to its rule, and says so, when the model %s', async (_, script, remark) => {
    model.script = script;
    const repository = new GitRepository();
    const id = await compete(daemon, repository, { agents: ['long', 'short'], count: 2, pick: 'judge' });
    const { task } = await follow(daemon.client, id);
    expect(task.choice).toMatchObject({ by: 'verify', reason: expect.stringContaining(remark) });
    expect(task.result?.output).toBe('short is done');
  });

  it('waits for a person, whom it notifies', async () => {
    const repository = new GitRepository();
    const agents = ['short', 'long', 'broken'];
    const id = await compete(daemon, repository, { agents, count: 3, pick: 'person' });
    await waiting(id);
    const { candidates } = await candidatesOf(id);
    const [, long, broken] = candidates.map(({ taskId }) => taskId);
    const pick = (candidateId = '') => daemon.client.tasks.pick({ params: { id }, body: { candidateId } });
    await expect(pick(broken)).rejects.toMatchObject({ status: 400 });
    await expect(pick(id)).rejects.toMatchObject({ status: 404 });
    await expect(daemon.client.tasks.delete({ params: { id: broken ?? '' } })).rejects.toMatchObject({
      status: 409,
    });
    const { notifications } = await daemon.client.notifications.list();
    expect(notifications.filter(({ taskId }) => taskId === id)).toMatchObject([
      { type: 'candidates_to_compare', message: `Compare them: svc tasks compare ${id}` },
    ]);
    // Others use the slot meanwhile.
    const other = await daemon.client.tasks.create({
      body: { title: 'Other', assignedAgent: 'command', prompt: 'true' },
    });
    expect((await follow(daemon.client, other.task.id)).task.status).toBe('completed');
    expect(await pick(long)).toMatchObject({ choice: { candidateId: long, by: 'person' } });
    const { task } = await follow(daemon.client, id);
    expect(task).toMatchObject({ choice: { by: 'person' }, result: { output: 'long is done' } });
    await expect(pick(long)).rejects.toMatchObject({ message: expect.stringContaining('svc tasks apply') });
  });

  it('decides by its rule where no person did in time', async () => {
    const repository = new GitRepository();
    await daemon.client.config.update({ params: { key: 'approvals.expireAfter' }, body: { value: 1000 } });
    const id = await compete(daemon, repository, { agents: ['long', 'short'], count: 2, pick: 'person' });
    const { task } = await follow(daemon.client, id);
    await daemon.client.config.update({ params: { key: 'approvals.expireAfter' }, body: { value: null } });
    expect(task.choice).toMatchObject({
      by: 'verify',
      reason: expect.stringContaining('no one chose in time'),
    });
    expect(task.result?.output).toBe('short is done');
  });

  it('a person may choose before the others have finished, which are then stopped', async () => {
    const repository = new GitRepository();
    const id = await compete(daemon, repository, { agents: ['short', 'slow'], count: 2, pick: 'person' });
    const [short, slow] = await until(async () => {
      const { candidates } = await candidatesOf(id);
      expect(held.has(candidates[1]?.taskId ?? '')).toBe(true);
      return candidates.map(({ taskId }) => taskId);
    });
    await daemon.client.tasks.pick({ params: { id }, body: { candidateId: short ?? '' } });
    expect((await follow(daemon.client, id)).task.result?.output).toBe('short is done');
    expect((await get(slow ?? '')).status).toBe('cancelled');
  });

  it('a cancelled task cancels its candidates', async () => {
    const repository = new GitRepository();
    const id = await compete(daemon, repository, { agents: ['slow'], count: 3 });
    const ids = await until(async () => {
      const { candidates } = await candidatesOf(id);
      expect(candidates.some(({ taskId }) => held.has(taskId))).toBe(true);
      return candidates.map(({ taskId }) => taskId);
    });
    await daemon.client.tasks.cancel({ params: { id } });
    expect(await Promise.all(ids.map(async (each) => (await get(each)).status))).toEqual(
      Array(3).fill('cancelled'),
    );
    expect((await get(id)).status).toBe('cancelled');
  });

  it('stops what works when the candidates together have used the budget, of which each gets a part', async () => {
    const repository = new GitRepository();
    const agents = ['short', 'spender'];
    const id = await compete(
      daemon,
      repository,
      { agents, count: 2 },
      { maxBudget: 5001, maxCostUsd: '0.5' },
    );
    const { task } = await follow(daemon.client, id);
    expect(task).toMatchObject({
      status: 'completed',
      result: {
        output: 'short is done',
        candidates: [{ status: 'completed', isWinner: true }, { status: 'cancelled' }],
      },
    });
    expect(await get(task.choice?.candidateId ?? '')).toMatchObject({ maxBudget: 2500, maxCostUsd: '0.25' });
    const none = await compete(daemon, repository, { agents: ['spender'], count: 2 }, { maxBudget: 4000 });
    expect((await follow(daemon.client, none)).task).toMatchObject({
      status: 'failed',
      error: { class: 'budget', message: 'The candidates reached their limit of 4000 tokens' },
    });
  });

  it('does not wait for an agent that is not there once another candidate has completed', async () => {
    const repository = new GitRepository();
    const id = await compete(daemon, repository, { agents: ['short', 'absent'], count: 2 });
    const { task } = await follow(daemon.client, id);
    expect(task.result?.candidates).toMatchObject([{ isWinner: true }, { status: 'cancelled' }]);
  });

  it('is continued where its winner left off, and begins anew when it is retried', async () => {
    const repository = new GitRepository();
    const id = await compete(daemon, repository, { agents: ['short', 'long'], count: 2 });
    await follow(daemon.client, id);
    await expect(
      daemon.client.tasks.create({ body: { title: 'More', continues: id } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('The agent "short" keeps no session') });
    const { task } = await daemon.client.tasks.retry({ params: { id } });
    const again = await follow(daemon.client, task.id);
    expect(again.task.status).toBe('completed');
    expect(again.task.choice?.candidateId).not.toBe((await get(id)).choice?.candidateId);
  });
});

describe('what candidates are asked for', () => {
  it('is refused where they could not work', async () => {
    const cwd = temporaryFolder();
    const bestOf = { count: 2, pick: 'verify' } as const;
    const body = { title: 'Compete', cwd, bestOf };
    for (const [wrong, field] of [
      [{ cwd: undefined }, 'cwd'],
      [{ worktree: false }, 'worktree'],
      [{ maxBudget: 1500 }, 'maxBudget'],
      [{ maxTimeMs: 150 }, 'maxTimeMs'],
      [{ maxCostUsd: '0.000001' }, 'maxCostUsd'],
      [{ assignedAgent: 'short', bestOf: { ...bestOf, agents: ['long'] } }, 'bestOf.agents'],
      [{ maxBudget: 50_000, bestOf: { ...bestOf, agents: ['command'] } }, 'bestOf.agents'],
      [{ bestOf: { count: 2, agents: ['a', 'b', 'c'] } }, 'bestOf.count'],
      [{ attached: true, bestOf: { count: 2, agents: ['absent'] } }, 'assignedAgent'],
    ] as const)
      await expect(
        daemon.client.tasks.create({ body: { ...body, ...wrong } as typeof body }),
      ).rejects.toMatchObject({ status: 400, details: [{ path: field }] });
    expect(existsSync(cwd)).toBe(true);
  });

  it('requires permission to run commands', async () => {
    const bob = await addUser(daemon, 'bob');
    await expect(
      bob.client.tasks.create({ body: { title: 'Compete', bestOf: { count: 2 } } }),
    ).rejects.toMatchObject({ status: 403 });
  });
});
