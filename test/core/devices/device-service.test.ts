import { describe, expect, it } from 'vitest';
import { ann, bob, deviceKey, openDevices, root } from './device-parts.ts';

describe('the list of devices', () => {
  it('shows a user their own, newest first, and an administrator all', async () => {
    await using test = await openDevices();
    const [first, second] = [await test.pair(ann), await test.pair(ann, { publicKey: deviceKey(9) })];
    const others = await test.pair(bob);
    const ids = async (caller: typeof ann) => (await test.devices.list(caller)).map(({ id }) => id);
    expect(await ids(ann)).toEqual([second.id, first.id]);
    expect(await ids(bob)).toEqual([others.id]);
    expect(await ids(root)).toEqual([others.id, second.id, first.id]);
  });

  it('marks the device of the caller, and shows when each was last seen', async () => {
    await using test = await openDevices();
    const { id, token, caller } = await test.pair(ann);
    expect(await test.devices.list(caller)).toMatchObject([
      { id, current: true, lastSeenAt: '2026-01-01T00:00:00.000Z' },
    ]);
    expect(await test.devices.list(ann)).toMatchObject([{ id, current: false }]);
    await test.sessions.end(caller);
    expect(await test.sessions.resolve(token)).toBeUndefined();
    expect((await test.devices.list(ann))[0]).not.toHaveProperty('lastSeenAt');
  });
});

describe('a device', () => {
  it('renames a device', async () => {
    await using test = await openDevices();
    const { id } = await test.pair(ann);
    expect(await test.devices.rename(ann, id, 'Desk')).toMatchObject({
      id,
      name: 'Desk',
      lastSeenAt: expect.any(String),
    });
    expect(await test.devices.list(ann)).toMatchObject([{ name: 'Desk' }]);
  });

  it('revokes a device with its sessions at once, and no other', async () => {
    await using test = await openDevices();
    const [first, second] = [await test.pair(ann), await test.pair(ann)];
    const ended: string[] = [];
    test.bus.on('session_ended', ({ sessionHash }) => ended.push(sessionHash));
    await test.devices.revoke(ann, first.id, { address: '10.0.0.1' });
    expect(await test.sessions.resolve(first.token)).toBeUndefined();
    expect(ended).toEqual([first.caller.sessionHash]);
    expect(await test.sessions.resolve(second.token)).toMatchObject({ deviceId: second.id });
    expect(await test.devices.list(ann)).toMatchObject([{ id: second.id }]);
    expect(await test.pairing.status(first.requestId, {})).toMatchObject({ status: 'rejected' });
    const entry = await test.database.read
      .selectFrom('audit_log')
      .selectAll()
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ tool: 'device.revoked', user_id: ann.userId, address: '10.0.0.1' });
    expect(JSON.parse(entry.arguments)).toMatchObject({ deviceId: first.id, sessions: 1 });
  });

  it('revoking a device also revokes the devices that it approved, at any depth', async () => {
    await using test = await openDevices();
    const first = await test.pair(ann);
    const second = await test.pair(first.caller);
    const third = await test.pair(second.caller);
    const other = await test.pair(ann);
    await test.devices.revoke(ann, first.id, {});
    for (const { token } of [first, second, third])
      expect(await test.sessions.resolve(token)).toBeUndefined();
    expect(await test.sessions.resolve(other.token)).toBeDefined();
    expect(await test.devices.list(ann)).toMatchObject([{ id: other.id }]);
  });

  it('revoking a device also revokes the API tokens that it created, and no others', async () => {
    await using test = await openDevices();
    const { id, caller } = await test.pair(ann);
    const input = { name: 'x', scopes: ['tasks:read' as const] };
    const [byDevice, byPerson] = [
      await test.tokens.create(caller, input),
      await test.tokens.create(ann, input),
    ];
    expect(await test.tokens.resolve(byDevice.token)).toBeDefined();
    await test.devices.revoke(ann, id, {});
    expect(await test.tokens.resolve(byDevice.token)).toBeUndefined();
    expect(await test.tokens.resolve(byPerson.token)).toBeDefined();
  });

  it('a device of another user is visible only to an administrator', async () => {
    await using test = await openDevices();
    const { id } = await test.pair(ann);
    const missing = { code: 'not_found', message: 'Device not found' };
    for (const [caller, name] of [
      [bob, id],
      [ann, 'dev_nothing'],
    ] as const) {
      await expect(test.devices.rename(caller, name, 'x')).rejects.toMatchObject(missing);
      await expect(test.devices.revoke(caller, name, {})).rejects.toMatchObject(missing);
    }
    expect(await test.devices.rename(root, id, 'x')).toMatchObject({ userId: ann.userId });
    await test.devices.revoke(root, id, {});
    await expect(test.devices.revoke(ann, id, {})).rejects.toMatchObject(missing);
  });
});
