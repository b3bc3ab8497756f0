import type { Platform } from '../../../contract/locations.ts';

/** The program that opens a file in the browser of the person at this machine; undefined where none would be seen. */
export function browserCommand({ env, platform }: Platform): readonly [string, ...string[]] | undefined {
  if (env['BROWSER']) return [env['BROWSER']];
  if (env['SSH_CONNECTION'] || env['SSH_CLIENT'] || env['SSH_TTY']) return undefined;
  if (platform === 'darwin') return ['open'];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
}
