import type { Kysely } from 'kysely';
import type { Device } from '../../contract/devices.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, requireOwned, roleOf, visibleOwner } from '../auth/caller.ts';
import type { ClientInfo, SessionService } from '../auth/session-service.ts';
import type { EventBus } from '../events.ts';
import type { DeviceRow } from '../storage/rows/devices.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import type { TokenService } from '../auth/tokens/token-service.ts';
import { fingerprintOf } from '../secrets/public-key.ts';
import type { PairingStore } from '../auth/pairing-store.ts';

export interface DeviceServiceDeps {
  database: Database;
  pairings: PairingStore;
  sessions: SessionService;
  tokens: TokenService;
  audit: AuditLog;
  bus: EventBus;
}

interface DeviceWithLastSeen extends DeviceRow {
  /** The latest use of its sessions; null when it has none. */
  last_seen_at: string | null;
}

/** Lists, renames and revokes paired devices. */
export class DeviceService {
  readonly #deps: DeviceServiceDeps;
  constructor(deps: DeviceServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller): Promise<Device[]> {
    const owner = visibleOwner(caller);
    const all = devicesIn(this.#deps.database.read);
    const rows = await (owner === undefined ? all : all.where('devices.owner_id', '=', owner))
      .orderBy('devices.id', 'desc')
      .execute();
    return rows.map((row) => toDevice(row, caller));
  }

  rename(caller: Caller, id: string, name: string): Promise<Device> {
    return this.#deps.database.write(async (transaction) => {
      const { db } = transaction;
      const row = await find(db, caller, id);
      await db.updateTable('devices').set({ name }).where('id', '=', id).execute();
      await caller.auditEntry?.append(transaction);
      this.#tell(transaction, row.owner_id);
      return toDevice({ ...row, name }, caller);
    });
  }

  /** Revokes a device with its sessions, its tokens and every device that it approved. */
  async revoke(caller: Caller, id: string, client: ClientInfo): Promise<void> {
    const { database, pairings, sessions, tokens, audit } = this.#deps;
    await database.write(async (transaction) => {
      const { owner_id, name } = await find(transaction.db, caller, id);
      // So that none of the devices approves another meanwhile.
      await database.engine.lockUser(transaction.db, owner_id);
      const ids = await withApproved(transaction.db, id);
      let revokedSessions = 0;
      for (const each of ids) {
        await transaction.db.deleteFrom('devices').where('id', '=', each).execute();
        await pairings.withdraw(transaction, each);
        await tokens.revokeByDevice(transaction, each);
        revokedSessions += await sessions.endMatching(transaction, { deviceId: each });
      }
      await audit.append(transaction, {
        kind: 'security',
        tool: 'device.revoked',
        userId: caller.userId,
        address: client.address,
        arguments: { deviceId: id, name, ownerId: owner_id, devices: ids.length, sessions: revokedSessions },
        result: 'ok',
      });
      this.#tell(transaction, owner_id);
    });
  }

  #tell(transaction: WriteTransaction, userId: string): void {
    transaction.afterCommit(() => this.#deps.bus.emit('devices_changed', { userId }));
  }
}

/** The device and all devices that it approved, directly or through others. */
async function withApproved(db: Kysely<Schema>, id: string): Promise<string[]> {
  const ids = [id];
  for (const each of ids) {
    const rows = await db.selectFrom('devices').select('id').where('approved_by', '=', each).execute();
    for (const row of rows) if (!ids.includes(row.id)) ids.push(row.id);
  }
  return ids;
}

async function find(db: Kysely<Schema>, caller: Caller, id: string): Promise<DeviceWithLastSeen> {
  const row = await devicesIn(db).where('devices.id', '=', id).executeTakeFirst();
  return requireOwned(caller, row, 'Device');
}

const devicesIn = (db: Kysely<Schema>) =>
  db
    .selectFrom('devices')
    .leftJoin('sessions', 'sessions.device_id', 'devices.id')
    .selectAll('devices')
    .select(({ fn }) => fn.max('sessions.last_seen_at').as('last_seen_at'))
    .groupBy('devices.id');

const toDevice = (row: DeviceWithLastSeen, caller: Caller): Device => ({
  id: row.id,
  name: row.name,
  userId: row.owner_id,
  role: roleOf(row),
  limited: row.limited === 1,
  ...(row.public_key !== null && { fingerprint: fingerprintOf(Buffer.from(row.public_key, 'base64')) }),
  createdAt: row.created_at,
  ...(row.last_seen_at !== null && { lastSeenAt: row.last_seen_at }),
  current: row.id === caller.deviceId,
});
