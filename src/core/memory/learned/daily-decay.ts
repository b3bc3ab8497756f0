import type { Leases } from '../../leases.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../storage/database.ts';
import { readState, writeState } from '../../storage/state.ts';
import type { Runtime } from '../../runtime.ts';
import type { ExperienceService } from './experience-service.ts';

const DAY_MS = 86_400_000;
const KEY = 'experiences_decayed_at';
const LEASE = 'decay of experiences';

export interface DailyDecayDeps {
  database: Database;
  config: Config;
  experiences: Pick<ExperienceService, 'decayAll'>;
  leases: Pick<Leases, 'take' | 'release'>;
  runtime: Runtime;
}

/** Decays the experiences of all users, at most once a day. */
export async function decayDaily(deps: DailyDecayDeps): Promise<void> {
  const { database, config, experiences, leases, runtime } = deps;
  const now = runtime.now();
  if (!(await isDue(database, now)) || !(await leases.take(LEASE)).isMine) return;
  try {
    // Another daemon may have done it before this one got the lease.
    if (!(await isDue(database, now))) return;
    await experiences.decayAll(config.get('memory.halfLifeDays'));
    await database.write(({ db }) => writeState(db, KEY, now.toISOString()));
  } finally {
    await leases.release(LEASE);
  }
}

async function isDue({ read }: Pick<Database, 'read'>, now: Date): Promise<boolean> {
  const last = await readState(read, KEY);
  return last === undefined || Math.abs(now.getTime() - Date.parse(last)) >= DAY_MS;
}
