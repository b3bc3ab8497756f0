import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { openStorage } from '../../helpers/storage.ts';
import { manualTimer } from '../outbound/manual-timer.ts';
import { addWebhook, began, deliveryWorld, keys, secret } from './delivery-world.ts';

it('sends a text webhook sentences with headers for people, and its token', async () => {
  await using storage = await openStorage();
  const token = 'tk_for-the/topic=1';
  const sealed = keys.box.seal(token, 'webhooks:wh_1:token');
  await addWebhook(storage.database, 'wh_1', { format: 'text', token: sealed });
  const world = deliveryWorld(storage.database, {
    timer: manualTimer(Date.now()),
    baseUrl: 'https://svc.example/',
    answer: () => ({ status: 500, text: `You sent Bearer ${token}` }),
  });
  const payload = {
    id: 'appr_1',
    taskTitle: 'Füll\r\nX-Evil: 1',
    tool: 'run_command',
    arguments: { command: 'npm test' },
    cwd: '/home/ann/shop',
  };
  const body = JSON.stringify({
    id: 'dlv_1',
    event: 'approval.requested',
    timestamp: new Date(began).toISOString(),
    payload,
  });
  await world.add('dlv_1', { event: 'approval.requested', body, approval_id: 'appr_1' });
  await world.timer.advance(30_000);
  const [first, second] = world.sent;
  expect(first?.body).toBe('Approve run_command: npm test, in ~/shop');
  expect(first?.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    title: `=?UTF-8?B?${Buffer.from('Approval needed: Füll X-Evil: 1').toString('base64')}?=`,
    priority: 'high',
    tags: 'raised_hand',
    authorization: `Bearer ${token}`,
  });
  for (const value of Object.values(first?.headers ?? {})) expect(value).toMatch(/^[\x20-\x7e]*$/);
  const signature = createHmac('sha256', secret)
    .update(first?.body ?? '')
    .digest('hex');
  expect(first?.headers?.['x-service-signature']).toBe(`sha256=${signature}`);
  expect(second).toMatchObject({ id: 'dlv_1', body: first?.body });
  const row = await world.row('dlv_1');
  expect(row.response_body).toBe('You sent Bearer ••••');
  expect(JSON.stringify(row)).not.toContain(token);
});
