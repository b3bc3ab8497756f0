import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Candidate } from '../../../../src/contract/task.ts';
import { type ContractServer, startContractServer } from '../../../helpers/contract-server.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';
import { ensureBuilt, outcomeOf, SvcHome } from '../../svc-binary.ts';

const idOf = (end: number) => `task_01a1fc43-0e60-790c-9e24-00000000000${end}`;
const id = idOf(1);
const candidates: Candidate[] = [
  {
    taskId: idOf(2),
    agent: 'claude',
    status: 'completed',
    verification: 'passed',
    files: 2,
    additions: 10,
    deletions: 3,
    usage: { inputTokens: 8000, outputTokens: 412, totalTokens: 8412 },
    cost: '0.12',
    durationMs: 61_000,
    isWinner: true,
    reason: 'It is complete',
  },
  { taskId: idOf(3), agent: 'codex', status: 'failed', isWinner: false, reason: 'No\u001blogin' },
];

let home: SvcHome;
let server: ContractServer;
const picked: string[] = [];
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const answers = new ToolWorld().answers();
  const choice = { candidateId: idOf(2), by: 'judge' as const, reason: 'It is complete' };
  server = await startContractServer({
    ...answers,
    tasks: {
      ...answers.tasks,
      getCandidates: () => ({ candidates, choice }),
      pick: ({ body }) => {
        picked.push(body.candidateId);
        return { message: 'Candidate chosen', choice };
      },
    },
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const svc = async (...words: string[]) =>
  outcomeOf(await home.start([...words, '--url', server.url], { env: { COLUMNS: '140' } }));

it('svc tasks compare shows a line for each candidate, and says which one was taken and why', async () => {
  const { code, stdout, stderr } = await svc('tasks', 'compare', id);
  expect(code).toBe(0);
  const [title, first, second] = stdout.split('\n');
  expect(title?.trim().split(/ {2,}/)).toEqual([
    'ID',
    'AGENT',
    'STATUS',
    'VERIFIED',
    'FILES',
    '+/−',
    'TOKENS',
    'COST',
    'TIME',
  ]);
  expect(first).toMatch(/^✓ .*claude +completed +yes +2 +\+10 −3 +8.4k +\$0.12 +1 min/);
  expect(second).toMatch(/^ .*codex +failed/);
  expect(stderr).toContain('It is complete');
  expect(stderr).toContain(`svc tasks diff ${idOf(2)}`);
  expect(stderr).not.toContain('\u001b');
  const { stdout: json } = await svc('tasks', 'compare', id, '--json');
  expect(JSON.parse(json)).toMatchObject({ candidates, choice: { by: 'judge' } });
});

it('svc tasks pick takes the end of an ID among the candidates', async () => {
  const { code, stdout } = await svc('tasks', 'pick', id, '03');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Candidate chosen.\n' });
  expect(picked).toEqual([idOf(3)]);
  expect((await svc('tasks', 'pick', id, 'absent')).stderr).toContain(`svc tasks compare ${id}`);
});

it.each(['2', 'codex'])('svc tasks pick takes %s, as the run names the candidate', async (name) => {
  picked.length = 0;
  expect(await svc('tasks', 'pick', id, name)).toMatchObject({ code: 0 });
  expect(picked).toEqual([idOf(3)]);
});

it('svc run refuses options for candidates that contradict each other', async () => {
  for (const words of [
    ['--pick', 'judge'],
    ['--best-of', '1'],
    ['--agents', 'claude'],
    ['--agents', 'claude,codex', '--agent', 'claude'],
  ])
    expect(await svc('run', ...words, 'Paint')).toMatchObject({ code: 2 });
});
