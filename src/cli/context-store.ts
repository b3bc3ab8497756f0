import { chmodSync, mkdirSync } from 'node:fs';
import Conf from 'conf';
import type { Locations } from '../contract/locations.ts';
import { type Contexts, contextsFileName, readContexts } from './contexts-file.ts';

/** Changes the contexts; the file holds tokens, so only its owner may read it. */
export function changeContexts(locations: Locations, change: (contexts: Contexts) => Contexts): void {
  mkdirSync(locations.config, { recursive: true, mode: 0o700 });
  const next = change(readContexts(locations));
  const store = new Conf<Contexts>({
    cwd: locations.config,
    configName: contextsFileName,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  });
  store.store = next;
  chmodSync(store.path, 0o600);
}
