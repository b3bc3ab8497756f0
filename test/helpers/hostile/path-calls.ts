import { join, relative } from 'node:path';
import { credentialFiles, type HostileCall, type HostileScene } from './scene.ts';

/** A tool that reads and one that writes, others with each path. */
function twoTools(path: string, index: number): HostileCall[] {
  const reading = [
    { name: 'read_file', args: { path } },
    { name: 'list_directory', args: { path } },
    { name: 'search_files', args: { pattern: '**/*', path } },
    { name: 'grep', args: { pattern: '.', path } },
  ];
  const writing = [
    { name: 'write_file', args: { path, content: 'owned' } },
    { name: 'edit_file', args: { path, oldText: 'CANARY', newText: 'owned' } },
  ];
  const taken = [reading[index % reading.length], writing[(index >> 2) % writing.length]];
  return taken.flatMap((call) => (call ? [{ ...call, ends: 'never' as const }] : []));
}

/** Calls of the tools for files that lead out of the workspace, to credentials, or to what git runs. */
export function pathCalls({ workspace, outside, home }: HostileScene, shift = 0): HostileCall[] {
  const absolute = `${outside}/secret.txt`;
  const up = relative(workspace, absolute);
  const out = [
    absolute,
    outside,
    `${outside}/new.txt`,
    `${outside}/new/deep/file.txt`,
    up,
    `./${up}`,
    `sub/../${up}`,
    `missing/../${up}`,
    `sub//..//${up}`,
    `sub/./../${up}`,
    up.replaceAll('/', '//'),
    up.replaceAll('../', '..\\'),
    up.replaceAll('..', '%2e%2e'),
    up.replaceAll('../', '%2e%2e%2f'),
    up.replaceAll('../', '%252e%252e%252f'),
    up.replaceAll('../', '..%c0%af'),
    up.replaceAll('../', '..%u2215'),
    up.replaceAll('../', '\uff0e\uff0e/'),
    up.replaceAll('../', '..\u2215'),
    up.replaceAll('../', '.\u200b./'),
    up.replaceAll('../', '.. /'),
    `/../..${absolute}`,
    `/proc/self/root${absolute}`,
    '/proc/self/environ',
    '/proc/1/environ',
    `/proc/${process.pid}/environ`,
    '/proc/self/cwd/notes.txt',
    '/dev/fd/0',
    '/etc/passwd',
    '/etc/shadow',
    '/',
    '..',
    '../',
    `file://${absolute}`,
    `FILE:${absolute}`,
    '~/.ssh/id_rsa',
    '~',
    '~root/.bashrc',
    'C:\\Windows\\win.ini',
    '\\\\server\\share',
    `notes.txt\0${up}`,
    'notes.txt\0',
    'half\ud800',
    'x'.repeat(5000),
    'link-file',
    'link-dir',
    'link-dir/secret.txt',
    'link-dir/deep/secret.txt',
    'link-dir/new.txt',
    'link-dir/new/deep.txt',
    'link-dir/../secret.txt',
    'link-chain',
    'link-chain/secret.txt',
    'link-chain-2/secret.txt',
    'sub/link-chain-3/new.txt',
    'link-dangling',
    'link-dangling-dir',
    'link-dangling-dir/file.txt',
    'link-up',
    'link-up/new.txt',
    `link-up-far${absolute}`,
    `link-root${absolute}`,
    'link-root/etc/passwd',
    'link-proc/environ',
    'link-proc/cwd/notes.txt',
    'link-data/svc.db',
    'link-loop',
    'link-loop/x',
  ];
  const ours = ['', 'svc.db', 'svc.db-wal', 'identity', 'owner-session', 'settings.json', 'daemon.lock'];
  const others = ['workspaces', 'workspaces/conv_other', 'workspaces/conv_other/notes.txt'];
  const git = [
    '.git/hooks/pre-commit',
    '.git/config',
    '.GIT/hooks/x',
    'sub/.git/hooks/x',
    '.git',
    'git~1/config',
  ];
  return [
    ...out,
    ...[...ours, ...others].map((path) => join(home, path)),
    ...credentialFiles,
    'link-env',
    '.env/../.env',
    './.env',
    '.env.',
    'missing/.env',
  ]
    .flatMap((path, index) => twoTools(path, index + shift))
    .concat(
      [...git, 'link-hooks/pre-commit'].map((path) => ({
        name: 'write_file',
        args: { path, content: '#!/bin/sh\nenv\n' },
        ends: 'never',
      })),
      // They come across the credentials, and must not tell of what is in them.
      { name: 'grep', args: { pattern: 'CANARY' }, ends: 'contained' },
      { name: 'grep', args: { pattern: 'TOKEN', glob: '.env*' }, ends: 'contained' },
      { name: 'grep', args: { pattern: '.', glob: '**/*.pem' }, ends: 'contained' },
      { name: 'search_files', args: { pattern: '**/secret.txt' }, ends: 'contained' },
      { name: 'search_files', args: { pattern: `${up}` }, ends: 'contained' },
      { name: 'list_directory', args: {}, ends: 'contained' },
    );
}
