import type { Setting } from '../../contract/config.ts';
import { AppError } from '../errors.ts';
import { environmentNameOf, type SettingKey } from './settings.ts';

/** What the environment or the command line says wins over what is written: nobody should think they changed it. */
export function requireWritable(
  config: { originOf(key: SettingKey): Setting['origin'] },
  key: SettingKey,
): void {
  const origin = config.originOf(key);
  if (origin === 'environment')
    throw new AppError(
      'validation',
      `${environmentNameOf(key)} in the environment of the daemon sets ${key}`,
    );
  if (origin === 'flag') throw new AppError('validation', `The command line of the daemon sets ${key}`);
}
