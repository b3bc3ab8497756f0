import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { escapes } from './escapes.ts';
import { canary, credentialFiles, type HostileScene } from './scene.ts';

/** A folder outside of every workspace. */
export function plantOutside(): { path: string; [Symbol.dispose]: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'svc-outside-')));
  write(join(path, 'secret.txt'), `${canary}\n`);
  write(join(path, 'deep/secret.txt'), `${canary}\n`);
  write(join(path, '.git/config'), '[core]\n\tbare = false\n');
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const links = (outside: string, home: string): Record<string, string> => ({
  'link-file': `${outside}/secret.txt`,
  'link-dir': outside,
  'link-chain': 'link-chain-2',
  'link-chain-2': 'sub/link-chain-3',
  'sub/link-chain-3': `${outside}/deep`,
  'link-dangling': `${outside}/missing.txt`,
  'link-dangling-dir': `${outside}/missing/deeper`,
  'link-up': '..',
  'link-up-far': '../../../../../..',
  'link-root': '/',
  'link-proc': '/proc/self',
  'link-data': home,
  'link-env': '.env',
  'link-hooks': '.git/hooks',
  'link-loop': 'link-loop',
});

/** Fills a workspace with links that lead out, credentials, a repository, and programs that look for a way out. */
export function plantWorkspace(scene: HostileScene): void {
  const { workspace, outside, home } = scene;
  const at = (path: string) => join(workspace, path);
  write(at('notes.txt'), 'The door is blue.\n');
  write(at('sub/more.txt'), 'The key is under the mat.\n');
  for (const path of credentialFiles) write(at(path), `TOKEN=${canary}\n`);
  for (const [path, target] of Object.entries(links(outside, home))) {
    mkdirSync(dirname(at(path)), { recursive: true });
    symlinkSync(target, at(path));
  }
  write(at('.git/HEAD'), 'ref: refs/heads/main\n');
  write(at('.git/config'), '[core]\n\trepositoryformatversion = 0\n');
  write(at('.git/hooks/pre-commit.sample'), '#!/bin/sh\n');
  mkdirSync(at('.git/objects'), { recursive: true });
  mkdirSync(at('.git/refs/heads'), { recursive: true });
  for (const [path, text] of Object.entries(escapes(scene))) write(at(path), text, 0o755);
}

export function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}
