import { lstat, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Repository settings that cannot make git run programs; any other setting makes the repository not plain. */
const plainKeys: Record<string, RegExp> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev)$/,
  remote: /^(url|pushurl|fetch|tagopt|prune)$/,
  branch: /^(remote|merge|rebase|description|vscode-merge-base)$/,
  user: /^(name|email)$/,
  init: /^defaultbranch$/,
  pull: /^(rebase|ff)$/,
};

/** Whether git in this directory uses a configuration that names no programs. Both arguments are real paths. */
export async function hasPlainRepository(directory: string, workspace: string): Promise<boolean> {
  for (let path = directory; ; path = dirname(path)) {
    const found = await lstat(join(path, '.git')).catch(() => undefined);
    if (found) return found.isDirectory() && (await isPlain(path));
    if (path === workspace || path === dirname(path)) return false;
  }
}

async function isPlain(path: string): Promise<boolean> {
  // Both bring in the configuration of other repositories.
  for (const name of ['.git/commondir', '.gitmodules'])
    if (await lstat(join(path, name)).catch(() => undefined)) return false;
  const config = await readFile(join(path, '.git/config'), 'utf8').catch(() => undefined);
  return config !== undefined && isPlainConfig(config);
}

/** Accepts only plain lines: each is a section or one `key = value`, without continuation lines. */
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
