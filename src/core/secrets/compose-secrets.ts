import type { Locations } from '../../contract/locations.ts';
import type { Feature } from '../lifecycle.ts';
import type { Database } from '../storage/database.ts';
import { KeyRing } from './key-ring.ts';
import { requirePrivateSeed } from './master-seed.ts';
import type { SecretBox } from './secret-box.ts';

export interface SecretDeps {
  database: Database;
  locations: Locations;
  config: { get(key: 'mode'): string; useBox(box: SecretBox): void };
}

/** Wires the keys of this installation; from now on secret settings can be read. */
export async function composeSecrets({
  database,
  locations,
  config,
}: SecretDeps): Promise<Feature<{ keys: KeyRing }>> {
  const isShared = config.get('mode') === 'pro';
  if (isShared) requirePrivateSeed(locations.identityFile);
  // Daemons that each made a seed could not read what the others sealed.
  const keys = await KeyRing.load(database, locations.identityFile, { mayCreate: !isShared });
  config.useBox(keys.box);
  return { services: { keys } };
}
