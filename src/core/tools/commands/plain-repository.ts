import { lstat, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Settings of a repository that start no program: whatever else is in there makes git more than a reader. */
const plainKeys: Record<string, RegExp> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev)$/,
  remote: /^(url|pushurl|fetch|tagopt|prune)$/,
  branch: /^(remote|merge|rebase|description|vscode-merge-base)$/,
  user: /^(name|email)$/,
  init: /^defaultbranch$/,
  pull: /^(rebase|ff)$/,
};

/** Whether git, run in this folder, reads a configuration that names no program. Both paths are real ones. */
export async function hasPlainRepository(folder: string, workspace: string): Promise<boolean> {
  for (let place = folder; ; place = dirname(place)) {
    const found = await lstat(join(place, '.git')).catch(() => undefined);
    if (found) return found.isDirectory() && (await isPlain(place));
    if (place === workspace || place === dirname(place)) return false;
  }
}

async function isPlain(place: string): Promise<boolean> {
  // Both bring configurations of other repositories in.
  for (const name of ['.git/commondir', '.gitmodules'])
    if (await lstat(join(place, name)).catch(() => undefined)) return false;
  const config = await readFile(join(place, '.git/config'), 'utf8').catch(() => undefined);
  return config !== undefined && isPlainConfig(config);
}

/** Reads what is surely plain: a section or one `key = value` in each line, and nothing that goes on in the next one. */
export function isPlainConfig(text: string): boolean {
  let keys: RegExp | undefined;
  return text.split('\n').every((line) => {
    if (/^\s*([#;].*)?$/.test(line)) return true;
    const section = /^\s*\[(?<name>[a-z]+)(\s+"[^"\\\]]*")?\]\s*$/i
      .exec(line)
      ?.groups?.['name']?.toLowerCase();
    if (section !== undefined) {
      keys = Object.hasOwn(plainKeys, section) ? plainKeys[section] : undefined;
      return keys !== undefined;
    }
    const key = /^\s*(?<key>[a-z-]+)\s*=[^\\]*$/i.exec(line)?.groups?.['key']?.toLowerCase();
    return key !== undefined && keys !== undefined && keys.test(key);
  });
}
