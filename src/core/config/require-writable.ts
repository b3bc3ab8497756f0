import type { Setting } from '../../contract/config.ts';
import { AppError } from '../errors.ts';
import type { SettingKey } from './settings.ts';

/** The environment and the command line win over the file, so a change of the file would have no effect. */
export function requireWritable(
  config: { originOf(key: SettingKey): Setting['origin']; variableOf(key: SettingKey): string },
  key: SettingKey,
): void {
  const origin = config.originOf(key);
  if (origin === 'environment')
    throw new AppError(
      'validation',
      `${config.variableOf(key)} in the environment of the daemon sets ${key}`,
    );
  if (origin === 'flag') throw new AppError('validation', `The command line of the daemon sets ${key}`);
}
