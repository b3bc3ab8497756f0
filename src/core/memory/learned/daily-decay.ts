import type { Config } from '../../config/config.ts';
import type { Database } from '../../storage/database.ts';
import { readState, writeState } from '../../storage/state.ts';
import type { Runtime } from '../../runtime.ts';
import type { ExperienceService } from './experience-service.ts';

const DAY_MS = 86_400_000;
const KEY = 'experiences_decayed_at';

export interface DailyDecayDeps {
  database: Database;
  config: Config;
  experiences: Pick<ExperienceService, 'decayAll'>;
  runtime: Runtime;
}

/** Decays the experiences of all users, at most once a day. */
export async function decayDaily(deps: DailyDecayDeps): Promise<void> {
  const { database, config, experiences, runtime } = deps;
  const now = runtime.now();
  const last = await readState(database.read, KEY);
  const age = last === undefined ? DAY_MS : Math.abs(now.getTime() - Date.parse(last));
  if (age < DAY_MS) return;
  await experiences.decayAll(config.get('memory.halfLifeDays'));
  await database.write(({ db }) => writeState(db, KEY, now.toISOString()));
}
