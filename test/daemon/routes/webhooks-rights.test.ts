import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../../src/contract/client.ts';
import { contract } from '../../../src/contract/index.ts';
import { type LoopbackServer, startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';
import { allEvents, toldTo } from '../../helpers/webhooks.ts';

let receiver: LoopbackServer;
let daemon: TestDaemon;
let client: Client;
let ann: TestUser;

beforeAll(async () => {
  receiver = await startLoopbackServer((response) => response.writeHead(204).end());
  daemon = await startDaemon({
    extraAdapters: [testAdapter(async () => ({ output: 'done' }))],
    flags: { 'outbound.allowPrivate': ['127.0.0.0/8'] },
  });
  ({ client } = daemon);
  ann = await addUser(daemon, 'ann');
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const of = ({ id }: { id: string }) => ({ params: { id } });
const rowOf = (id: string) =>
  daemon.app.database.read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
const withToken = async (user: { client: Client }, scopes: ('webhooks:write' | 'tasks:write')[]) => {
  const { token } = await user.client.tokens.create({ body: { name: 'x', scopes } });
  const headers = { authorization: `Bearer ${token}` };
  return createClient(contract, { baseUrl: daemon.url, fetch: (url, init) => fetch(url, init), headers });
};
const input = () => ({ url: receiver.url, events: allEvents });

it('a token manages the webhooks of its user', async () => {
  const eve = await addUser(daemon, 'eve');
  const program = await withToken(eve, ['webhooks:write']);
  const { webhook } = await program.webhooks.create({ body: input() });
  const own = of(webhook);
  expect((await eve.client.webhooks.list()).webhooks.map(({ id }) => id)).toEqual([webhook.id]);
  expect((await program.webhooks.list()).webhooks.map(({ id }) => id)).toEqual([webhook.id]);
  expect((await program.webhooks.get(own)).webhook.id).toBe(webhook.id);
  const { delivery } = await program.webhooks.sendTest(own);
  const params = { id: webhook.id, deliveryId: delivery.id };
  expect((await program.webhooks.redeliver({ params })).delivery.status).toBe('delivered');
  expect((await program.webhooks.listDeliveries(own)).deliveries).toHaveLength(1);
  await program.webhooks.rotateSecret(own);
  await program.webhooks.update({ ...own, body: { active: false } });
  await expect((await withToken(ann, ['webhooks:write'])).webhooks.get(own)).rejects.toMatchObject({
    status: 404,
  });
  await program.webhooks.delete(own);
  await expect((await withToken(eve, ['tasks:write'])).webhooks.list()).rejects.toMatchObject({
    status: 403,
  });
});

it('the webhooks of a token never receive tasks of other users, even of an administrator', async () => {
  const program = await withToken(daemon, ['webhooks:write']);
  const { webhook } = await program.webhooks.create({ body: input() });
  expect(await rowOf(webhook.id)).toMatchObject({ owner_id: 'user_owner', sees_all: 0 });
  const { task } = await ann.client.tasks.create({ body: { title: 'Report', assignedAgent: 'test' } });
  await follow(ann.client, task.id);
  expect(await toldTo(daemon, webhook.id)).toEqual([]);
  const everybodys = (await client.webhooks.create({ body: input() })).webhook;
  expect(await rowOf(everybodys.id)).toMatchObject({ sees_all: 1 });
  const seen = (await program.webhooks.list()).webhooks.map(({ id }) => id);
  expect(seen).toContain(webhook.id);
  expect(seen).not.toContain(everybodys.id);
  const { delivery } = await client.webhooks.sendTest(of(everybodys));
  const body = { url: 'https://receiver.invalid/' };
  const attempts: (() => Promise<unknown>)[] = [
    () => program.webhooks.get(of(everybodys)),
    () => program.webhooks.update({ ...of(everybodys), body }),
    () => program.webhooks.rotateSecret(of(everybodys)),
    () => program.webhooks.sendTest(of(everybodys)),
    () => program.webhooks.listDeliveries(of(everybodys)),
    () => program.webhooks.redeliver({ params: { id: everybodys.id, deliveryId: delivery.id } }),
    () => program.webhooks.delete(of(everybodys)),
  ];
  for (const attempt of attempts)
    await expect(attempt()).rejects.toMatchObject({ status: 404, message: 'Webhook not found' });
  expect((await client.webhooks.get(of(everybodys))).webhook.url).toBe(everybodys.url);
});

it('the webhooks of a former administrator receive only their own tasks', async () => {
  const root = await addUser(daemon, 'root', 'admin');
  const { webhook } = await root.client.webhooks.create({ body: { ...input(), events: ['task.created'] } });
  const own = of(webhook);
  const annsTask = () => ann.client.tasks.create({ body: { title: 'Report', assignedAgent: 'nobody' } });
  await annsTask();
  expect(await toldTo(daemon, webhook.id)).toHaveLength(1);
  const setRole = (role: 'user' | 'admin') =>
    client.users.update({ params: { id: 'user_root' }, body: { role } });
  await setRole('user');
  await annsTask();
  expect(await toldTo(daemon, webhook.id)).toHaveLength(1);
  await root.client.tasks.create({ body: { title: 'Report', assignedAgent: 'nobody' } });
  expect(await toldTo(daemon, webhook.id)).toHaveLength(2);
  await root.client.webhooks.update({ ...own, body: { active: true, description: 'mine' } });
  const refusal = { status: 403, message: expect.stringMatching(/^This webhook receives the tasks of/) };
  const elsewhere = { url: `${receiver.url}/elsewhere` };
  await expect(root.client.webhooks.update({ ...own, body: elsewhere })).rejects.toMatchObject(refusal);
  await expect(root.client.webhooks.rotateSecret(own)).rejects.toMatchObject(refusal);
  await expect(root.client.webhooks.update({ ...own, body: { token: 'another' } })).rejects.toMatchObject(
    refusal,
  );
  expect((await root.client.webhooks.get(own)).webhook).toMatchObject({
    url: webhook.url,
    secret: `…${webhook.secret.slice(-4)}`,
  });
  await setRole('admin');
  await annsTask();
  expect(await toldTo(daemon, webhook.id)).toHaveLength(3);
  await root.client.webhooks.update({ ...own, body: elsewhere });
});

it('an administrator manages the webhooks of other users', async () => {
  const { webhook } = await ann.client.webhooks.create({ body: input() });
  expect((await client.webhooks.list()).webhooks.map(({ id }) => id)).toContain(webhook.id);
  await client.webhooks.update({ ...of(webhook), body: { url: `${receiver.url}/other` } });
  expect(await rowOf(webhook.id)).toMatchObject({ owner_id: 'user_ann', sees_all: 0 });
  await client.webhooks.delete(of(webhook));
});
