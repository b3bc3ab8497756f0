import type { Feature } from '../lifecycle.ts';
import { SettingService, type SettingServiceDeps } from './setting-service.ts';

/** Wires the change of settings. */
export function composeSettings(deps: SettingServiceDeps): Feature<{ settings: SettingService }> {
  return { services: { settings: new SettingService(deps) } };
}
