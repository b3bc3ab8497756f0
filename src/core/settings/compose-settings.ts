import { BackgroundSweep } from '../async/background-sweep.ts';
import type { Config } from '../config/config.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { SettingService, type SettingServiceDeps } from './setting-service.ts';

export interface SettingsFeatureDeps extends SettingServiceDeps {
  config: Config;
  log: Log;
}

/** Wires the change of settings; those that daemons share are read again when another one changed them, or may have. */
export function composeSettings({
  config,
  log,
  ...deps
}: SettingsFeatureDeps): Feature<{ settings: SettingService }> {
  const settings = new SettingService({ ...deps, config });
  if (config.get('mode') !== 'pro') return { services: { settings } };
  config.onRefresh(async (keys) => {
    for (const key of keys) deps.modelProviders.resetFor(key);
    await settings.announce(keys);
  });
  let reported: string[] = [];
  const refresh = async () => {
    await config.refresh();
    const faults = config.faults();
    for (const fault of faults)
      if (!reported.includes(fault))
        log.warn({ fault }, 'a setting of the cluster is not valid here; its earlier value stays in force');
    reported = faults;
    return false;
  };
  const sweep = new BackgroundSweep({ processPage: refresh, log });
  let unsubscribe: () => void = () => undefined;
  return {
    services: { settings },
    lifecycle: {
      start() {
        const again = () => sweep.runInBackground(refresh);
        const ends = [deps.bus.on('settings_changed', again), deps.bus.onGap(again)];
        unsubscribe = () => ends.forEach((end) => end());
        sweep.start();
      },
      async stop() {
        unsubscribe();
        await sweep.stop();
      },
    },
  };
}
