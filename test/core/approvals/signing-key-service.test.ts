import { expect, it } from 'vitest';
import { newSigner } from '../../helpers/signers.ts';
import { openSigning } from './signing-world.ts';

it('registers one key for a session; the same again changes nothing, another replaces it', async () => {
  await using world = await openSigning('never');
  const ann = await world.addSession('ann', 'sess_ann');
  const signer = newSigner();
  const key = await world.keys.register(ann, signer);
  expect(key).toMatchObject({
    algorithm: 'ed25519',
    publicKey: signer.publicKey,
    fingerprint: expect.stringMatching(/^sha256:[\da-f]{64}$/) as string,
    name: 'Chrome on Android',
    userId: 'user_ann',
    sessionId: 'sess_ann',
    current: true,
  });
  expect(await world.keys.register(ann, signer)).toEqual(key);
  const next = await world.keys.register(ann, newSigner('p256'));
  expect(await world.keys.list(ann)).toEqual([next]);
  expect(
    (await world.entries()).map(({ tool, arguments: args }) => [tool, JSON.parse(args) as object]),
  ).toEqual([
    [
      'signing_key.registered',
      { keyId: key.id, algorithm: 'ed25519', publicKey: signer.publicKey, sessionId: 'sess_ann' },
    ],
    [
      'signing_key.registered',
      {
        keyId: next.id,
        algorithm: 'p256',
        publicKey: next.publicKey,
        sessionId: 'sess_ann',
        replaces: key.id,
      },
    ],
  ]);
});

it('registers none for an API token, a caller without a session, or an ended session', async () => {
  await using world = await openSigning();
  const signer = newSigner();
  const token = { id: 'tok_1', scopes: ['tasks:write'] } as const;
  for (const caller of [
    { userId: 'user_ann', role: 'admin', token },
    { userId: 'user_ann', role: 'admin', token, sessionId: 'sess_ann' },
    { userId: 'user_ann', role: 'admin' },
  ] as const)
    await expect(world.keys.register(caller, signer)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(
    world.keys.register({ userId: 'user_ann', role: 'user', sessionId: 'sess_gone' }, signer),
  ).rejects.toMatchObject({ code: 'unauthenticated' });
  await world.addSession('ann', 'sess_ann');
  await expect(
    world.keys.register({ userId: 'user_bob', role: 'admin', sessionId: 'sess_ann' }, signer),
  ).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await world.database.read.selectFrom('signing_keys').selectAll().execute()).toEqual([]);
});

it('registers none while every program of the machine is the owner', async () => {
  await using world = await openSigning();
  world.setting.isOpen = true;
  const ann = await world.addSession('ann', 'sess_ann');
  await expect(world.keys.register(ann, newSigner())).rejects.toMatchObject({
    code: 'wrong_state',
    message: expect.stringContaining('svc auth access-key') as string,
  });
});

it('refuses what is no strict public key', async () => {
  await using world = await openSigning();
  const ann = await world.addSession('ann', 'sess_ann');
  for (const publicKey of ['', 'x', Buffer.alloc(32).toString('base64'), newSigner('p256').publicKey])
    await expect(world.keys.register(ann, { algorithm: 'ed25519', publicKey })).rejects.toMatchObject({
      code: 'validation',
    });
});

it('a removed key is gone for its session for good, unless the session removed it itself', async () => {
  await using world = await openSigning();
  const lost = await world.sign('ann', 'sess_lost');
  const here = await world.sign('ann', 'sess_here');
  const bob = await world.sign('bob');
  await expect(world.keys.remove(bob.caller, lost.key.id)).rejects.toMatchObject({ code: 'not_found' });
  await world.keys.remove(here.caller, lost.key.id);
  expect((await world.keys.list(here.caller)).map(({ id }) => id)).toEqual([here.key.id]);
  for (const signer of [lost.signer, newSigner()])
    await expect(world.keys.register(lost.caller, signer)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('Sign out and in again') as string,
    });
  await expect(world.keys.remove(lost.caller, lost.key.id)).rejects.toMatchObject({ code: 'not_found' });
  await world.keys.remove(here.caller, here.key.id);
  await world.keys.register(here.caller, newSigner());
});

it('tells the person of a new key while signatures are required', async () => {
  await using world = await openSigning('never');
  await world.sign('ann');
  const told = () => world.database.read.selectFrom('notifications').select('title').execute();
  expect(await told()).toEqual([]);
  world.setting.required = 'high-danger';
  await world.sign('ann', 'sess_2');
  expect(await told()).toEqual([{ title: 'A new key can sign your decisions: Chrome on Android' }]);
});
