import type { Kysely } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import { deciderName } from './decider-name.ts';

/** The session of a person who decides. */
export interface DecidingSession {
  owner_id: string;
  user_name: string;
  kind: string;
  device_id: string | null;
  /** The device, browser or terminal. */
  name: string;
}

/** The session as it is now; undefined once it has ended. */
export async function decidingSession(db: Kysely<Schema>, id: string): Promise<DecidingSession | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.owner_id')
    .leftJoin('devices', 'devices.id', 'sessions.device_id')
    .select([
      'sessions.owner_id',
      'sessions.kind',
      'sessions.device_id',
      'sessions.user_agent',
      'users.name as user_name',
      'devices.name as device_name',
    ])
    .where('sessions.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { owner_id, user_name, kind, device_id, user_agent, device_name } = row;
  const name = deciderName({ kind, deviceName: device_name, userAgent: user_agent });
  return { owner_id, user_name, kind, device_id, name };
}
