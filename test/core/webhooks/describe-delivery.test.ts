import { expect, it } from 'vitest';
import { testEvent, webhookEventSchema } from '../../../src/contract/webhooks.ts';
import { describeDelivery } from '../../../src/core/webhooks/describe-delivery.ts';

const timestamp = '2026-01-05T10:00:00.000Z';
const describeEvent = (event: string, payload: object, baseUrl?: string) =>
  describeDelivery(JSON.stringify({ id: 'dlv_1', event, timestamp, payload }), {
    home: '/home/ann',
    baseUrl,
  });
const soon = '2026-01-05T10:04:00.000Z';
/** Minutes are the same in every zone that this runs in. */
const time = /\d\d:04 \S+/.source;

const call = {
  id: 'appr_1',
  taskId: 'task_1',
  tool: 'run_command',
  arguments: { timeoutMs: 5, command: 'npm test' },
  cwd: '/home/ann/shop',
  expiresAt: soon,
};
const task = { id: 'task_1', title: 'Shop tests' };

it.each<[string, object, string]>([
  ['approval.requested', call, `Approve run_command: npm test, in ~/shop\nExpires at ${time}\\.`],
  [
    'approval.decided',
    { ...call, status: 'approved', decidedByName: 'Ann' },
    'Approved by Ann: run_command: npm test, in ~/shop',
  ],
  ['approval.decided', { ...call, status: 'denied' }, 'Denied: run_command: npm test, in ~/shop'],
  [
    'approval.decided',
    { ...call, status: 'expired' },
    'Nobody decided in time: run_command: npm test, in ~/shop',
  ],
  ['task.created', task, 'Shop tests was created\\.'],
  ['task.completed', { ...task, duration: 185_000 }, 'Shop tests completed in 3 minutes 5 seconds\\.'],
  ['task.failed', { ...task, error: { message: 'Wrong\nkey' } }, 'Shop tests failed: Wrong key'],
  ['task.cancelled', task, 'Shop tests was cancelled\\.'],
  [
    'task.waiting',
    { ...task, reason: 'outage', message: 'Overloaded', until: soon },
    `Shop tests waits for a service that is away or overloaded\\. Next try at ${time}: Overloaded`,
  ],
  [
    'task.waiting',
    { ...task, reason: 'limit', message: 'Five hours', until: '2026-01-07T10:04:00.000Z' },
    `Shop tests has reached a usage limit\\. Next try at \\w{3},? \\d+ Jan,? ${time}: Five hours`,
  ],
  [
    'task.waiting',
    { ...task, reason: 'approval', message: 'run_command needs approval', until: soon },
    'Shop tests waits for an approval: run_command needs approval',
  ],
  [
    'task.waiting',
    { ...task, reason: 'agent', message: 'No agent', until: null },
    'Shop tests waits: No agent',
  ],
  ['agent.started', { taskId: 'task_1', agentType: 'builtin' }, 'builtin started a run of task_1\\.'],
  ['agent.finished', { taskId: 'task_1', agentType: 'builtin' }, 'builtin finished a run of task_1\\.'],
  ['webhook.test', { message: 'svc can reach this webhook' }, 'svc can reach this webhook\\.'],
])('describes %s %j', (event, payload, text) => {
  expect(describeEvent(event, payload).text).toMatch(new RegExp(`^${text}$`));
});

it('describes every event even without its fields', () => {
  for (const event of [...webhookEventSchema.options, testEvent]) {
    const { text, title, tag } = describeEvent(event, {});
    expect(text + title).not.toMatch(/undefined|null|NaN/);
    expect(tag).toMatch(/^\w+$/);
  }
});

it('links to the page of the approval or the task', () => {
  const base = 'https://svc.example/';
  expect(describeEvent('task.failed', task, base).link).toBe('https://svc.example/tasks/task_1');
  expect(describeEvent('agent.started', { taskId: 'task_2' }, base).link).toBe(
    'https://svc.example/tasks/task_2',
  );
  const link = 'https://svc.example/approvals/appr_1';
  expect(describeEvent('approval.requested', { ...call, link }, base).link).toBe(link);
  expect(describeEvent('task.failed', task)).not.toHaveProperty('link');
});

it('shows no secrets, nothing invisible and no long text', () => {
  const key = `sk-ant-${'a1'.repeat(20)}`;
  const failed = describeEvent('task.failed', {
    ...task,
    title: `Deploy \u202e${'x'.repeat(500)}`,
    error: { message: `The key ${key} was refused\u001b[2J` },
  }).text;
  expect(failed).not.toContain(key);
  expect(failed).not.toMatch(/\p{Cc}|\p{Cf}/u);
  expect(failed.length).toBeLessThan(500);
  const asked = describeEvent('approval.requested', {
    ...call,
    arguments: { command: `curl -H "Authorization: Bearer ${key}" ${'y'.repeat(5000)}` },
  }).text;
  expect(asked).not.toContain(key);
  expect(asked.length).toBeLessThan(300);
});
