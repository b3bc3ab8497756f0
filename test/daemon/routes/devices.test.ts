import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, createClient } from '../../../src/contract/client.ts';
import { contract } from '../../../src/contract/index.ts';
import { livePath } from '../../../src/contract/live-path.ts';
import { sessionCookie } from '../../../src/contract/locations.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { addUser } from '../../helpers/users.ts';

const MAX_AGE = 60_000;

/** A device that the user of the client approved, signed in. */
async function pair(daemon: TestDaemon, approver: Client, name: string) {
  const { requestId, code } = await daemon.client.pairing.create({ body: { requesterId: name } });
  await approver.pairing.approve({ body: { code } });
  const { token } = await daemon.client.pairing.getStatus({ params: { requestId } });
  const headers = { cookie: `${sessionCookie}=${token}` };
  const client = createClient(contract, {
    baseUrl: daemon.url,
    fetch: (url, init) => fetch(url, init),
    headers,
  });
  const { devices } = await client.devices.list();
  const id = devices.find(({ current }) => current)?.id ?? '';
  return { id, headers, client };
}

describe('GET /api/devices/identity', () => {
  it('the identity of a daemon survives a restart and differs from that of another daemon', async () => {
    const first = await startDaemon();
    const identity = await first.client.devices.getIdentity();
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    await using other = await startDaemon();
    expect(await second.client.devices.getIdentity()).toEqual(identity);
    expect(await other.client.devices.getIdentity()).not.toEqual(identity);
    expect(identity).toEqual({
      deviceId: expect.stringMatching(/^([a-z2-7]{4}-){12}[a-z2-7]{4}$/),
      publicKey: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });
});

describe('POST /api/devices/attest and verify', () => {
  it('attests data and verifies the attestation once', async () => {
    await using daemon = await startDaemon();
    const { attestation } = await daemon.client.devices.attest({
      body: { data: { purpose: 'test', n: [1] } },
    });
    const { deviceId } = await daemon.client.devices.getIdentity();
    expect(attestation).toMatchObject({ deviceId, attestation: { data: { purpose: 'test', n: [1] } } });
    const verify = () => daemon.client.devices.verify({ body: { attestation } });
    expect(await verify()).toEqual({ valid: true, trusted: true, deviceId });
    expect(await verify()).toEqual({
      valid: false,
      trusted: false,
      deviceId,
      reason: 'The attestation was used before',
    });
  });

  it('another daemon verifies an attestation without trusting the device', async () => {
    await using daemon = await startDaemon();
    await using other = await startDaemon();
    const { attestation } = await daemon.client.devices.attest({ body: { data: {} } });
    expect(await other.client.devices.verify({ body: { attestation } })).toMatchObject({
      valid: true,
      trusted: false,
    });
  });

  it('verify reports malformed attestations, and rejects malformed requests', async () => {
    await using daemon = await startDaemon();
    const verify = (body: unknown) =>
      fetch(`${daemon.url}/api/devices/verify`, {
        method: 'POST',
        headers: { ...daemon.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const malformed = await verify({ attestation: { deviceId: 1 } });
    expect(malformed.status).toBe(200);
    expect(await malformed.json()).toMatchObject({ valid: false, trusted: false, deviceId: null });
    for (const body of [
      {},
      { attestation: 'x' },
      { attestation: [] },
      { attestation: {}, maxAgeMs: 0 },
      { attestation: {}, maxAgeMs: 3_600_001 },
      { attestation: {}, maxAgeMs: 1.5 },
    ])
      expect((await verify(body)).status, JSON.stringify(body)).toBe(400);
  });

  it('an attestation is valid once among a thousand simultaneous verifications', async () => {
    await using daemon = await startDaemon();
    const { attestation } = await daemon.client.devices.attest({ body: { data: {} } });
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, () =>
        daemon.client.devices.verify({ body: { attestation, maxAgeMs: MAX_AGE } }),
      ),
    );
    expect(outcomes.filter(({ valid }) => valid)).toHaveLength(1);
  });
});

describe('paired devices', () => {
  it('a user lists and renames their paired devices', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const phone = await pair(daemon, ann.client, 'phone');
    expect(await ann.client.devices.list()).toEqual({
      devices: [
        {
          id: phone.id,
          name: 'phone',
          userId: 'user_ann',
          role: 'user',
          limited: false,
          createdAt: expect.any(String),
          lastSeenAt: expect.any(String),
          current: false,
        },
      ],
      total: 1,
      limit: 1,
      offset: 0,
    });
    const { device } = await phone.client.devices.update({
      params: { id: phone.id },
      body: { name: ' Mine ' },
    });
    expect(device).toMatchObject({ name: 'Mine', current: true });
    await expect(
      ann.client.devices.update({ params: { id: phone.id }, body: { name: 'a\nb' } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('paired devices of other users are not visible', async () => {
    await using daemon = await startDaemon();
    const [ann, bob] = [await addUser(daemon, 'ann'), await addUser(daemon, 'bob')];
    const { id } = await pair(daemon, ann.client, 'phone');
    expect(await bob.client.devices.list()).toEqual({ devices: [], total: 0, limit: 0, offset: 0 });
    const missing = { status: 404 };
    await expect(bob.client.devices.update({ params: { id }, body: { name: 'x' } })).rejects.toMatchObject(
      missing,
    );
    await expect(bob.client.devices.revoke({ params: { id } })).rejects.toMatchObject(missing);
    expect((await daemon.client.devices.list()).devices).toMatchObject([{ id, userId: 'user_ann' }]);
  });

  it('a paired device loses its sessions and the live feed when it is revoked', async () => {
    await using daemon = await startDaemon();
    const phone = await pair(daemon, daemon.client, 'phone');
    const tablet = await pair(daemon, daemon.client, 'tablet');
    const me = (headers: { cookie: string }) => fetch(`${daemon.url}/api/auth/me`, { headers });
    expect((await me(phone.headers)).status).toBe(200);
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}${livePath}`, {
      headers: phone.headers,
    });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await daemon.client.devices.revoke({ params: { id: phone.id } });
    expect((await me(phone.headers)).status).toBe(401);
    expect((await closed)[0]).toBe(1008);
    expect((await me(tablet.headers)).status).toBe(200);
    expect((await me(daemon.headers)).status).toBe(200);
  });

  it('a paired device may revoke itself', async () => {
    await using daemon = await startDaemon();
    const phone = await pair(daemon, daemon.client, 'phone');
    await phone.client.devices.revoke({ params: { id: phone.id } });
    await expect(phone.client.devices.list()).rejects.toMatchObject({ status: 401 });
    expect(await daemon.client.devices.list()).toEqual({ devices: [], total: 0, limit: 0, offset: 0 });
  });

  it('paired devices survive a restart', async () => {
    const first = await startDaemon();
    const phone = await pair(first, first.client, 'phone');
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    const response = await fetch(`${second.url}/api/auth/me`, { headers: phone.headers });
    expect(response.status).toBe(200);
  });
});
