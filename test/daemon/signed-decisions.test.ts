import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Approval, DecideApproval } from '../../src/contract/approvals.ts';
import { type Client, createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import { scopeSchema } from '../../src/contract/scopes.ts';
import type { SigningKey } from '../../src/contract/keys.ts';
import { newApproval } from '../helpers/approvals.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { callsTools, type ModelServer, startModelServer, useModel } from '../helpers/model-server.ts';
import { newSigner, signatureOn, type Signer } from '../helpers/signers.ts';
import { follow, until } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

let daemon: TestDaemon;
let model: ModelServer;
let ann: TestUser;
let signer: Signer;
let key: SigningKey;
beforeAll(async () => {
  model = await startModelServer();
  daemon = await startDaemon();
  await useModel(daemon, model);
  ann = await addUser(daemon, 'ann');
  signer = newSigner('p256');
  ({ key } = await ann.client.keys.register({ body: signer }));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
const demand = (value: string | null) =>
  daemon.client.config.update({ params: { key: 'approvals.requireSignature' }, body: { value } });
beforeEach(() => demand('always'));

const withHeaders = (headers: Record<string, string>): Client =>
  createClient(contract, { baseUrl: daemon.url, fetch: (url, init) => fetch(url, init), headers });

let calls = 0;
/** A call of ann that waits. */
async function ask(owner = 'user_ann'): Promise<Approval> {
  const at = `${++calls}`;
  const { id } = await daemon.app.approvals.request(
    newApproval({
      owner_id: owner,
      run_id: at,
      task_id: null,
      conversation_id: `conv_${at}`,
      scope_id: at,
      binding: at,
    }),
  );
  return (await daemon.client.approvals.get({ params: { id } })).approval;
}
const sign = (approval: Approval, body: DecideApproval, by = { signer, key }): DecideApproval => ({
  ...body,
  signature: signatureOn(by.signer, by.key, approval, body, new Date().toISOString()),
});
const decide = (client: Client, { id }: Approval, body: DecideApproval) =>
  client.approvals.decide({ params: { id }, body });
const statusOf = async ({ id }: Approval) =>
  (await daemon.client.approvals.get({ params: { id } })).approval.status;
const once = { decision: 'allow-once' } as const;

describe('while every decision needs a signature', () => {
  it('a person decides with the key of their session', async () => {
    const approval = await ask();
    expect(approval).toMatchObject({ needsSignature: true, binding: expect.stringMatching(/^[\da-f]{64}$/) });
    const { approval: decided } = await decide(ann.client, approval, sign(approval, once));
    expect(decided).toMatchObject({
      status: 'approved',
      decider: { userName: 'ann', via: 'sign-in', signed: true, keyId: key.id },
    });
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
  });

  it('an API token registers no key and decides nothing, whatever it may do otherwise', async () => {
    const approval = await ask();
    const { token } = await ann.client.tokens.create({
      body: { name: 'all', scopes: scopeSchema.options.filter((scope) => scope !== 'agents:command') },
    });
    const body = sign(approval, once);
    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `${sessionCookie}=${token}` }]) {
      const thief = withHeaders(headers);
      for (const attempt of [
        () => thief.keys.register({ body: newSigner() }),
        () => thief.keys.list(),
        () => thief.keys.remove({ params: { id: key.id } }),
        () => decide(thief, approval, body),
        () => decide(thief, approval, once),
        () => thief.chat.decideApproval({ body: chatBody(approval, body) }),
        () => thief.auth.createSignInLink({ body: {} }),
        () =>
          thief.config.update({ params: { key: 'approvals.requireSignature' }, body: { value: 'never' } }),
      ])
        await expect(attempt()).rejects.toMatchObject({ status: expect.toBeOneOf([401, 403]) });
    }
    expect(await statusOf(approval)).toBe('pending');
    expect((await ann.client.keys.list()).keys.map(({ id }) => id)).toEqual([key.id]);
  });

  it('the route of a conversation asks for the signature too', async () => {
    const approval = await ask();
    const send = (body: DecideApproval) => ann.client.chat.decideApproval({ body: chatBody(approval, body) });
    await expect(send(once)).rejects.toMatchObject({ status: 403 });
    await expect(send(sign(await ask(), once))).rejects.toMatchObject({ status: 403 });
    expect(await statusOf(approval)).toBe('pending');
    expect((await send(sign(approval, once))).approval.decider).toMatchObject({ signed: true });
  });

  it('a session cannot use the signature or the key of another one', async () => {
    const approval = await ask();
    const other = await addUser(daemon, `other${calls}`, 'admin');
    const body = sign(approval, once);
    // An administrator may decide for ann, and has seen her request.
    await expect(decide(other.client, approval, body)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('not registered for this session'),
    });
    const copied = (await other.client.keys.register({ body: signer })).key;
    await expect(decide(other.client, approval, body)).rejects.toMatchObject({ status: 403 });
    const forged = { ...body, signature: { ...body.signature, keyId: copied.id } } as DecideApproval;
    await expect(decide(other.client, approval, forged)).rejects.toMatchObject({ status: 403 });
    expect(await statusOf(approval)).toBe('pending');
  });

  it('nothing can be put in place of what was signed', async () => {
    const approval = await ask();
    for (const shown of [
      { ...approval, params: { command: 'ls' } },
      { ...approval, cwd: '/tmp' },
      { ...approval, toolName: 'read_file' },
      { ...approval, securityLevel: 'low' as const },
      { ...approval, binding: (await ask()).binding },
    ] as Approval[])
      await expect(decide(ann.client, approval, sign(shown, once))).rejects.toMatchObject({ status: 403 });
    const signed = sign(approval, once);
    await expect(decide(ann.client, approval, { ...signed, decision: 'allow-always' })).rejects.toMatchObject(
      {
        status: 403,
      },
    );
    for (const signature of [
      { keyId: key.id, signedAt: 'now', value: 'x' },
      { keyId: key.id, signedAt: new Date().toISOString() },
      'yes',
    ])
      await expect(
        decide(ann.client, approval, { ...once, signature } as unknown as DecideApproval),
      ).rejects.toMatchObject({ status: 400 });
    expect(await statusOf(approval)).toBe('pending');
    await decide(ann.client, approval, signed);
    await expect(decide(ann.client, approval, signed)).rejects.toMatchObject({
      status: 400,
      message: 'The approval is already approved',
    });
  });

  it('a device that is revoked loses its key with its session', async () => {
    const { code, requestId } = await ann.client.pairing.create({ body: { requesterId: 'Pixel 8' } });
    await ann.client.pairing.approve({ body: { code } });
    const { token = '' } = await ann.client.pairing.getStatus({ params: { requestId } });
    const phone = withHeaders({ cookie: `${sessionCookie}=${token}` });
    const own = newSigner();
    const registered = (await phone.keys.register({ body: own })).key;
    expect(registered).toMatchObject({ name: 'Pixel 8', deviceId: expect.stringMatching(/./) });
    const first = await ask();
    const { approval: decided } = await decide(
      phone,
      first,
      sign(first, once, { signer: own, key: registered }),
    );
    expect(decided.decider).toMatchObject({ via: 'device', deviceName: 'Pixel 8', signed: true });
    const second = await ask();
    await ann.client.devices.revoke({ params: { id: registered.deviceId ?? '' } });
    expect((await ann.client.keys.list()).keys.map(({ id }) => id)).not.toContain(registered.id);
    await expect(
      decide(phone, second, sign(second, once, { signer: own, key: registered })),
    ).rejects.toMatchObject({ status: 401 });
    await expect(
      decide(ann.client, second, sign(second, once, { signer: own, key: registered })),
    ).rejects.toMatchObject({ status: 403 });
    expect(await statusOf(second)).toBe('pending');
    // What it decided before still says so, and still verifies.
    expect((await ann.client.approvals.get({ params: { id: first.id } })).approval.decider).toMatchObject({
      deviceName: 'Pixel 8',
    });
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
  });

  it('changed arguments are signed as the preview shows them', async () => {
    model.script = callsTools([[{ name: 'write_file', args: { path: 'a.txt', content: 'of the model\n' } }]]);
    const { task } = await ann.client.tasks.create({ body: { title: 'Write', assignedAgent: 'builtin' } });
    const approval = await until(async () => {
      const found = (await ann.client.approvals.list()).approvals.find(({ taskId }) => taskId === task.id);
      if (!found) throw new Error('there is no approval yet');
      return found;
    });
    const edited = { path: 'b.txt', content: 'of the person\n' };
    const body = { ...once, arguments: edited };
    const params = { id: approval.id };
    const preview = async () => (await ann.client.approvals.preview({ params, body })).approval;
    const asSigned = sign(await preview(), body);
    // Signed as it was asked for, or for other arguments: neither is what would run.
    await expect(decide(ann.client, approval, sign(approval, body))).rejects.toMatchObject({ status: 403 });
    await expect(
      decide(ann.client, approval, { ...asSigned, arguments: { ...edited, content: 'of nobody\n' } }),
    ).rejects.toMatchObject({ status: 403 });
    await expect(
      decide(ann.client, approval, { decision: 'allow-once', signature: asSigned.signature }),
    ).rejects.toMatchObject({ status: 403 });
    // The file appears meanwhile, so that the person has not seen what would happen.
    writeFileSync(join(daemon.home, 'workspaces', task.id, 'b.txt'), 'meanwhile\n');
    await expect(decide(ann.client, approval, asSigned)).rejects.toMatchObject({ status: 403 });
    expect(await statusOf(approval)).toBe('pending');
    await decide(ann.client, approval, sign(await preview(), body));
    expect((await follow(ann.client, task.id)).task.status).toBe('completed');
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
  });

  it('a denial passes without one', async () => {
    const approval = await ask();
    expect(await decide(ann.client, approval, { decision: 'deny' })).toMatchObject({
      approval: { status: 'denied', decider: { signed: false } },
    });
  });
});

describe('the setting', () => {
  it('is an administrator’s, and each change is in the audit log with its value', async () => {
    await expect(
      ann.client.config.update({ params: { key: 'approvals.requireSignature' }, body: { value: 'never' } }),
    ).rejects.toMatchObject({ status: 403 });
    await demand('never');
    const { entries } = await daemon.client.audit.list({ query: { tool: 'config.changed', limit: 2 } });
    expect(entries.map(({ arguments: args }) => args)).toEqual([
      { key: 'approvals.requireSignature', value: 'never' },
      { key: 'approvals.requireSignature', value: 'always' },
    ]);
    const approval = await ask();
    expect(approval).not.toHaveProperty('needsSignature');
    expect((await decide(ann.client, approval, once)).approval.decider).toMatchObject({ signed: false });
  });

  it('takes effect in the environment, where no API can change it', async () => {
    await using fixed = await startDaemon({ env: { SVC_APPROVALS_REQUIRE_SIGNATURE: 'high-danger' } });
    const { id } = await fixed.app.approvals.request(newApproval());
    await expect(fixed.client.approvals.decide({ params: { id }, body: once })).rejects.toMatchObject({
      status: 403,
    });
  });
});

it('no key is registered while every program of the machine is the owner', async () => {
  await using open = await startDaemon();
  await open.client.auth.updateAccessKey({ body: { key: null } });
  const anybody = createClient(contract, { baseUrl: open.url, fetch: (url, init) => fetch(url, init) });
  await expect(anybody.keys.register({ body: newSigner() })).rejects.toMatchObject({ status: 403 });
  const { token } = await anybody.auth.createSignInLink({ body: {} });
  const answer = await fetch(`${open.url}/api/auth/sign-in-links/redeem`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const signedIn = createClient(contract, {
    baseUrl: open.url,
    fetch: (url, init) => fetch(url, init),
    headers: { cookie },
  });
  await expect(signedIn.keys.register({ body: newSigner() })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('svc auth access-key'),
  });
});

const chatBody = ({ id, conversationId = '' }: Approval, { decision, signature }: DecideApproval) => ({
  approvalId: id,
  conversationId,
  decision,
  ...(signature && { signature }),
});
