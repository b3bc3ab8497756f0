import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdsSecrets } from '../../../src/core/paths/secret-content.ts';
import { isSecretPath } from '../../../src/core/paths/secret-paths.ts';
import { credentialFiles, harmlessFiles } from './credential-files.ts';

const isRefused = (path: string, text: string) => isSecretPath(`/work/${path}`) || holdsSecrets(path, text);

describe('credential files', () => {
  it.each(Object.entries(credentialFiles))('recognizes %s', (path, text) => {
    expect(isRefused(path, text)).toBe(true);
  });

  it.each(['.bak', '~', '.old', '.orig', '.swp', ' (1)', '.1', '-copy'])(
    'recognizes copies named with %s',
    (suffix) => {
      for (const name of [
        '.env',
        'id_rsa',
        'secrets.yml',
        'sftp-config.json',
        '.esmtprc',
        'sitemanager.xml',
        '.npmrc',
        'server.key',
      ])
        expect([name, isSecretPath(`/work/${name}${suffix}`)]).toEqual([name, true]);
    },
  );

  it.each(Object.entries(harmlessFiles))('lets %s be read', (path, text) => {
    expect(isRefused(path, text)).toBe(false);
  });

  it('lets the files of this project be read', async () => {
    const root = new URL('../../..', import.meta.url).pathname;
    const refused: string[] = [];
    for (const directory of ['src', 'docs', 'bin', 'bench', '.'])
      for (const entry of await readdir(join(root, directory), {
        recursive: directory !== '.',
        withFileTypes: true,
      })) {
        if (!entry.isFile() || entry.name === '.npmrc') continue;
        const path = join(entry.parentPath, entry.name).slice(root.length);
        if (isRefused(path, await readFile(join(root, path), 'utf8'))) refused.push(path);
      }
    expect(refused).toEqual([]);
  });
});

it('searches the worst text of a kind in time that grows with its length only', () => {
  const worst = [
    'a:',
    'a = ',
    'password=',
    '<a ',
    'x://a:',
    '"a" : ',
    '-----BEGIN ',
    '$2a$10$',
    'login("a@',
    '$6$a',
    'user',
    '_',
  ];
  for (const piece of worst)
    for (const join_ of ['', '\n'])
      expect(
        holdsSecrets('x.txt', Array.from({ length: 1_000_000 / piece.length }, () => piece).join(join_)),
      ).toBeTypeOf('boolean');
}, 180_000);
