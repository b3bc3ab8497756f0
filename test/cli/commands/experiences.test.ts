import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Experience } from '../../../src/contract/experiences.ts';
import { type ContractServer, Refusal, startContractServer } from '../../helpers/contract-server.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';
import { idOf } from './webhook-samples.ts';
import { experience } from './memory-samples.ts';

let home: SvcHome;
let server: ContractServer;
let learned: Experience[];
let queries: unknown[];

const find = (id: string): Experience => {
  const found = learned.find((each) => each.id === id);
  if (!found) throw new Refusal(404, 'Not found');
  return found;
};

beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  learned = [
    experience(1),
    experience(2, {
      weight: 0.2,
      useCount: 0,
      origin: { kind: 'task', userId: 'user_1', taskId: 'task_9', trusted: false },
    }),
  ];
  queries = [];
  server = await startContractServer({
    experiences: {
      list: ({ query }) => {
        queries.push(query);
        return { experiences: learned, total: learned.length + 1, limit: query.limit, offset: query.offset };
      },
      search: ({ query }) => {
        queries.push(query);
        return { experiences: learned.map((each) => ({ ...each, score: 0.5 })), method: 'keyword' };
      },
      get: ({ params }) => ({ experience: find(params.id) }),
      create: ({ body }) => ({ experience: experience(3, body) }),
      use: ({ params }) => ({ experience: { ...find(params.id), useCount: 3, weight: 1.3 } }),
      delete: ({ params }) => ({ message: `Forgotten ${find(params.id).intent}` }),
      decay: () => ({ decayed: 1 }),
      prune: () => ({ pruned: 2 }),
    },
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const svc = (...args: string[]) => home.svc(['experiences', ...args, '--url', server.url]);
const bodies = () => server.asked.map(({ body }) => body).filter((body) => body !== undefined);
const cells = (text: string) => text.split('\n').map((line) => line.trimStart().split(/ {2,}/));

describe('svc experiences', () => {
  it('lists experiences with their origin', async () => {
    const { code, stdout, stderr } = await svc('ls');
    expect(code, stderr).toBe(0);
    expect(cells(stdout)).toEqual([
      ['ID', 'WEIGHT', 'USED', 'AGE', 'TYPE', 'FROM', 'TAGS', 'GOAL'],
      [idOf('exp', 1), '1.25', '2', '3 min', 'task_solution', 'a person', 'deploy', 'deploy the docs'],
      [
        idOf('exp', 2),
        '0.20',
        '0',
        '3 min',
        'task_solution',
        'a task, untrusted',
        'deploy',
        'deploy the docs',
      ],
      [''],
    ]);
    expect(stderr).toBe('2 of 3. More: --limit, --offset\n');
    const filters =
      '--type tool_chain --tag a --min-weight 0.5 --conversation conv_1 --limit 9 --offset 3 -q';
    expect((await svc('ls', ...filters.split(' '))).stdout).toBe(`${idOf('exp', 1)}\n${idOf('exp', 2)}\n`);
    expect(queries[1]).toEqual({
      type: 'tool_chain',
      tag: 'a',
      minWeight: 0.5,
      conversationId: 'conv_1',
      limit: 9,
      offset: 3,
    });
    learned = [];
    expect((await svc('ls')).stderr).toMatch(/^No experiences yet\. .*svc experiences record/);
    expect((await svc('ls', '--tag', 'a')).stderr).toBe(
      'No matching experiences. List all: svc experiences ls\n',
    );
    expect((await svc('search', 'a')).stderr).toMatch(/^Nothing found\./);
  });

  it('finds experiences by a query', async () => {
    const { stdout } = await svc('search', 'how', 'to', 'deploy', '--limit', '2');
    expect(cells(stdout)[1]).toEqual([
      '0.50',
      idOf('exp', 1),
      ...(cells((await svc('ls')).stdout)[1]?.slice(1) ?? []),
    ]);
    expect(queries[0]).toEqual({ q: 'how to deploy', limit: 2 });
  });

  it('shows an experience in full', async () => {
    const { stdout } = await svc('show', '0199a1b2');
    expect(stdout.replace(/\d{4}-\S+Z/, 'TIME')).toBe(
      `ID        ${idOf('exp', 2)}\nType      task_solution\nGoal      deploy the docs\nTags      deploy\n` +
        'Success   1.00\nWeight    0.20\nUsed      never\nFrom      a task, untrusted  task_9  of user_1\n' +
        'Recorded  TIME  (3 min ago)\nSteps     1. npm run build\n          2. npm run push\n             and wait\n',
    );
    expect(await svc('show', 'x')).toMatchObject({
      code: 5,
      stderr: 'svc: There is no experience "x". See them: svc experiences ls\n',
    });
  });

  it('records an experience, also with steps from stdin', async () => {
    const made = await home.svc(
      [
        'experiences',
        'record',
        'set up',
        '--step',
        'first',
        '--step',
        '-',
        '--tag',
        'a',
        '--success',
        '0.5',
        '--url',
        server.url,
      ],
      { stdin: 'second\n\nthird\n' },
    );
    expect(made).toEqual({ code: 0, stdout: `${idOf('exp', 3)}\n`, stderr: '' });
    expect(bodies()).toEqual([
      {
        type: 'task_solution',
        intent: 'set up',
        solution: ['first', 'second', 'third'],
        tags: ['a'],
        successScore: 0.5,
      },
    ]);
    expect(await svc('record', 'set up')).toMatchObject({ code: 2, stderr: expect.stringMatching(/--step/) });
    expect((await svc('record', 'x', '--step', 'y', '--type', 'tool_chan')).stderr).toMatch(
      /Did you mean tool_chain/,
    );
  });

  it('uses and forgets experiences by ID prefix', async () => {
    expect(await svc('use', '0199a1b1')).toMatchObject({
      stdout: `${idOf('exp', 1)}\n`,
      stderr: 'Used 3 times; its weight is now 1.30.\n',
    });
    expect(await svc('rm', '0199a1b1', 'x')).toMatchObject({ code: 5, stdout: `${idOf('exp', 1)}\n` });
  });

  it('decays weights, and prunes light experiences only after confirmation', async () => {
    expect((await svc('decay', '--half-life', '7')).stderr).toBe('Lowered the weight of 1 experience.\n');
    expect(await svc('prune')).toMatchObject({ code: 9 });
    expect((await svc('prune', '--yes', '--min-weight', '0.2')).stderr).toBe('Removed 2 experiences.\n');
    expect(bodies()).toEqual([{ halfLifeDays: 7 }, { minWeight: 0.2 }]);
  });
});
