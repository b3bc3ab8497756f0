import type { Config } from '../config/config.ts';
import type { Locations } from '../../contract/locations.ts';
import { AppError } from '../errors.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { SharedSettings, type SharedSettingsDeps } from './shared-settings.ts';

export interface SharedSettingsFeatureDeps extends SharedSettingsDeps {
  config: Config;
  locations: Pick<Locations, 'settingsFile'>;
  log: Log;
}

/** In mode `pro`, brings the settings of the cluster; the features after it find them in force. */
export async function composeSharedSettings({
  config,
  locations,
  log,
  ...deps
}: SharedSettingsFeatureDeps): Promise<Feature<object>> {
  if (config.get('mode') !== 'pro') return { services: {} };
  const shared = new SharedSettings(deps);
  await shared.refresh();
  const isFirst = shared.isNew && (await importFile(config, shared));
  config.share(shared);
  const keys = config.ignoredInFile();
  if (keys.length > 0)
    log.warn(
      { keys, file: locations.settingsFile },
      isFirst
        ? 'the settings of the file that the cluster shares are in its database now; remove them from the file, and change them with svc config set'
        : 'settings of the file are ignored, because the cluster shares them in its database; remove them from the file, and change them with svc config set',
    );
  return { services: {} };
}

/** A cluster without settings gets those of the file of its first daemon; false where another daemon was the first. */
async function importFile(config: Config, shared: SharedSettings): Promise<boolean> {
  const changes = config.importable();
  if (changes.length === 0) return false;
  try {
    await shared.write(changes, () => undefined);
    return true;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    await shared.refresh();
    return false;
  }
}
