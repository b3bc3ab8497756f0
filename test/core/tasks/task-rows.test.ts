import { describe, expect, it } from 'vitest';
import { createTaskSchema, type ExportedTask } from '../../../src/contract/task.ts';
import { rowOfImport, rowOfInput, rowOfRetry } from '../../../src/core/tasks/task-rows.ts';

const at = '2026-01-02T03:04:05.678Z';
const decided = {
  id: 'task_1',
  owner_id: 'user_ann',
  max_attempts: 3,
  retry_on_failure: 1,
  may_command: 1,
  created_at: at,
  updated_at: at,
};
const said = {
  title: 'Title',
  description: 'Description',
  prompt: 'Prompt',
  priority: 2,
  source: 'codehost',
  sourceId: 'o/r#1',
  sourceUrl: 'https://example.org/1',
  repository: 'o/r',
  branch: 'main',
  labels: ['a', '"'],
  assignedAgent: 'builtin',
  needs: ['gpu'] as string[],
  cwd: '/tmp',
  umask: 18,
  worktree: false,
  memoryScope: 'all',
  securityMode: 'sandbox',
  verify: ['npm test'] as string[],
  repair: 1,
  model: 'gpt-5',
  provider: 'openai',
  maxSteps: 7,
  maxBudget: 5000,
  maxCostUsd: '0.50',
  maxTimeMs: 60_000,
  continues: 'task_1',
  outputSchema: { type: 'object' },
  bestOf: { agents: ['claude'] as string[], count: 2, pick: 'judge' },
  metadata: { a: [1, null] },
  retryOnFailure: true,
} as const;
const input = createTaskSchema.parse({ ...said, maxAttempts: 5 });
const stored = {
  title: 'Title',
  description: 'Description',
  prompt: 'Prompt',
  priority: 2,
  source: 'codehost',
  source_id: 'o/r#1',
  source_url: 'https://example.org/1',
  repository: 'o/r',
  branch: 'main',
  labels: '["a","\\""]',
  assigned_agent: 'builtin',
  needs: '["gpu"]',
  cwd: '/tmp',
  umask: 18,
  worktree: 'false',
  memory_scope: 'all',
  security_mode: 'sandbox',
  verify: '["npm test"]',
  repair: 1,
  model: 'gpt-5',
  provider: 'openai',
  max_steps: 7,
  max_budget: 5000,
  max_cost_usd: '0.50',
  max_time_ms: 60_000,
  continues: 'task_1',
  output_schema: '{"type":"object"}',
  best_of: '{"agents":["claude"],"count":2,"pick":"judge"}',
  metadata: '{"a":[1,null]}',
  retry_on_failure: 1,
};
const left = {
  agent_type: 'builtin',
  attempts: 2,
  started_at: at,
  completed_at: at,
  error: '{}',
  result: '{}',
  parent_id: 'task_8',
  choice: '{}',
  crashes: 1,
  fence: 7,
  lease_owner: 'w',
  lease_until: at,
  daemon: '{}',
  outages: 3,
  outage_since: at,
};
const fresh = {
  agent_type: null,
  attempts: 0,
  started_at: null,
  completed_at: null,
  error: null,
  result: null,
  parent_id: null,
  trace_context: null,
  choice: null,
  crashes: 0,
  suspect: 0,
  crash_log: null,
  outages: 0,
  outage_since: null,
  interactive: 0,
  forgiven: 0,
  attached: 0,
  fence: 0,
  lease_owner: null,
  lease_until: null,
  daemon: null,
  home: null,
};
const exported: ExportedTask = {
  ...said,
  id: 'task_0',
  status: 'completed',
  attempts: 2,
  maxAttempts: 3,
  agentType: 'builtin',
  labels: [...said.labels],
  metadata: { a: [1, null] },
  createdAt: '2026-01-02T03:04:05Z',
  updatedAt: at,
  startedAt: at,
  completedAt: at,
  scheduledFor: at,
  idempotencyKey: 'key',
  retriedFrom: 'task_9',
};
const ofImport = {
  owner_id: 'user_ann',
  status: 'completed',
  held: 0,
  may_command: 0,
  is_trusted: 0,
} as const;

describe('a new row', () => {
  it('a new row has the fields of its creator and none of a run', () => {
    expect(rowOfInput(input, decided)).toEqual({
      ...stored,
      ...fresh,
      ...decided,
      status: 'pending',
      held: 0,
      is_trusted: 1,
      scheduled_for: null,
      retried_from: null,
      env: null,
      token_id: null,
      agent_rule: null,
      env_names: null,
      idempotency_key: null,
    });
  });

  it('a new row has the same columns in the same order for any input', () => {
    const whole = Object.keys(rowOfInput(input, decided));
    const bare = createTaskSchema.parse({ title: 'Bare' });
    const old = { ...rowOfInput(input, decided), seq: 1, event_seq: 1 };
    expect(Object.keys(rowOfInput(bare, { ...decided, is_trusted: 0 }))).toEqual(whole);
    expect(Object.keys(rowOfRetry(old, { ...decided, retried_from: 'task_0' }))).toEqual(whole);
    expect(Object.keys(rowOfImport(exported, true, ofImport))).toEqual(whole);
  });
});

it('a retry copies the fields of the creator and its trust, but nothing of the runs', () => {
  const old = { ...rowOfInput(input, { ...decided, is_trusted: 0 }), ...left, seq: 1, event_seq: 4 };
  const again = { id: 'task_2', may_command: 0, created_at: at, updated_at: at, retried_from: 'task_1' };
  expect(
    rowOfRetry({ ...old, held: 1, attached: 1, idempotency_key: 'key', max_attempts: 5 }, again),
  ).toMatchObject({
    ...stored,
    ...fresh,
    ...again,
    owner_id: 'user_ann',
    status: 'pending',
    held: 0,
    is_trusted: 0,
    max_attempts: 5,
    idempotency_key: null,
    scheduled_for: null,
  });
});

describe('the row of an import', () => {
  it('an imported row has all of a finished task, with its times in one format', () => {
    expect(rowOfImport(exported, true, ofImport)).toMatchObject({
      ...stored,
      ...ofImport,
      id: 'task_0',
      agent_type: 'builtin',
      attempts: 2,
      started_at: at,
      completed_at: at,
      created_at: '2026-01-02T03:04:05.000Z',
      retried_from: 'task_9',
      scheduled_for: null,
      idempotency_key: null,
    });
  });

  it('an imported row keeps nothing of the runs of an unfinished task', () => {
    expect(rowOfImport(exported, false, { ...ofImport, status: 'pending', held: 1 })).toMatchObject({
      ...stored,
      ...fresh,
      status: 'pending',
      held: 1,
    });
  });
});

it('a retry keeps the rule that gave the task its agent, and an import takes none', () => {
  const agent_rule = '{"vendor":"github","rule":"octo/web","kind":"ticket"}';
  const old = { ...rowOfInput(input, { ...decided, agent_rule }), ...left, seq: 1, event_seq: 4 };
  const again = { id: 'task_2', may_command: 0, created_at: at, updated_at: at, retried_from: 'task_1' };
  expect(rowOfRetry(old, again)).toMatchObject({ agent_rule });
  const file = { ...exported, agentRule: agent_rule, agent_rule } as ExportedTask;
  expect(rowOfImport(file, true, ofImport)).toMatchObject({ agent_rule: null });
});
