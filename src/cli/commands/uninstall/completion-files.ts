import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../../../contract/locations.ts';

/** The files that the help of `svc completion` names, where they hold a script of svc. */
export function findCompletionFiles({ home, env }: Platform): string[] {
  const config = env['XDG_CONFIG_HOME']?.startsWith('/') ? env['XDG_CONFIG_HOME'] : join(home, '.config');
  const data = env['XDG_DATA_HOME']?.startsWith('/') ? env['XDG_DATA_HOME'] : join(home, '.local/share');
  return [
    join(home, '.zfunc/_svc'),
    join(config, 'fish/completions/svc.fish'),
    join(data, 'bash-completion/completions/svc'),
  ].filter((path) => existsSync(path) && /^# svc completion for /m.test(readFileSync(path, 'utf8')));
}

/** The start-up files of shells that load the completion: they belong to the user, who removes the line. */
export function findCompletionLines({ home }: Platform): string[] {
  return ['.bashrc', '.bash_profile', '.zshrc', '.config/fish/config.fish']
    .map((name) => join(home, name))
    .filter(
      (path) => existsSync(path) && /\bsvc completion (bash|zsh|fish)\b/.test(readFileSync(path, 'utf8')),
    );
}
