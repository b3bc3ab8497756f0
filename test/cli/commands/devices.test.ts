import { hash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceKey } from '../../../src/cli/commands/devices/device-key.ts';
import { writeIdentityFile } from '../../../src/cli/commands/devices/identity-file.ts';
import { readSeed, formatSeed } from '../../../src/cli/commands/devices/seed-words.ts';
import { formatFingerprint } from '../../../src/cli/commands/devices/format-fingerprint.ts';
import { locate } from '../../../src/contract/locations.ts';
import { readMasterSeed } from '../../../src/core/secrets/master-seed.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { ensureBuilt, outcomeOf, said, SvcHome } from '../svc-binary.ts';

beforeAll(ensureBuilt);

const urlOf = ({ port }: SvcHome) => `http://127.0.0.1:${port}`;
const codePattern = /[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}/;
const codeIn = (text: string) => codePattern.exec(text)?.[0] ?? '';

describe('the recovery words of an identity', () => {
  it('the recovery words of an identity are BIP-39 words', () => {
    const zeros = `${'abandon '.repeat(23)}art`;
    expect(formatSeed(new Uint8Array(32)).split(/\s+/).filter(Boolean).join(' ')).toBe(zeros);
    expect(Buffer.from(readSeed(zeros)).equals(Buffer.alloc(32))).toBe(true);
  });
  it('reads recovery words however they are formatted, including the file itself', () => {
    const seed = Buffer.from(hash('sha256', 'seed', 'hex'), 'hex');
    const words = formatSeed(seed);
    expect(words.trim().split('\n')).toHaveLength(4);
    for (const text of [words, words.toUpperCase().replaceAll('\n', '\r\n  '), `${seed.toString('hex')}\n`])
      expect(Buffer.from(readSeed(text)).equals(seed)).toBe(true);
  });
  it.each([
    ['abandon '.repeat(23), /24 words, but 23 were given/],
    [`${'abandon '.repeat(22)}secretword art`, /number 23\./],
    ['abandon '.repeat(24), /checksum does not match/],
  ])('an error about recovery words reveals no word', (text, because) => {
    expect(() => readSeed(text)).toThrow(because);
    expect(() => readSeed(text)).not.toThrow(/secretword/);
  });
});

describe('the files of devices', () => {
  it('the daemon reads the device files that the command line wrote', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'data', 'identity');
    const seed = Buffer.alloc(32, 7);
    writeIdentityFile(path, seed);
    writeIdentityFile(path, seed);
    expect(readMasterSeed(path)?.equals(seed)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    rmSync(folder, { recursive: true });
  });
  it('creates one device key, readable only by its owner', () => {
    const home = temporaryFolder();
    const locations = locate({ env: { SVC_HOME: home }, platform: 'linux', home });
    const key = deviceKey(locations);
    expect(Buffer.from(key.publicKey, 'base64')).toHaveLength(32);
    const { publicKey, fingerprint } = key;
    expect(deviceKey(locations)).toMatchObject({ publicKey, fingerprint });
    expect(statSync(join(home, 'device-key.pem')).mode & 0o777).toBe(0o600);
    writeFileSync(join(home, 'device-key.pem'), 'something else');
    expect(() => deviceKey(locations)).toThrow(/is not an Ed25519 key/);
    rmSync(home, { recursive: true });
  });
  it('shows a fingerprint in groups', () => {
    expect(formatFingerprint(`sha256:${'0123456789abcdef'.repeat(4)}`)).toEqual([
      'sha256 0123 4567 89ab cdef 0123 4567 89ab cdef',
      '       0123 4567 89ab cdef 0123 4567 89ab cdef',
    ]);
  });
});

describe('svc devices identity', () => {
  it('exports the identity and restores it for a daemon that lost it', async () => {
    await using home = await SvcHome.create();
    const file = join(home.folder, 'words');
    expect((await home.svc(['devices', 'identity', '--export'])).code).toBe(5);
    const before = JSON.parse((await home.svc(['devices', 'identity', '--json'])).stdout) as object;
    const exported = await home.svc(['devices', 'identity', '--export']);
    expect(exported.stdout.trim().split(/\s+/)).toHaveLength(24);
    expect(exported.stderr).toContain('Anyone who has them can impersonate it.');
    const toFile = ['devices', 'identity', '--export', '--file', file];
    expect(await home.svc(toFile)).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(exported.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await home.svc(toFile)).code).toBe(6);
    const json = await home.svc(['devices', 'identity', '--export', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ words: exported.stdout.trim().replaceAll('\n', ' ') });

    const restore = ['devices', 'identity', '--restore'];
    expect((await home.svc(restore, { stdin: exported.stdout })).stderr).toContain('svc daemon stop');
    await home.svc(['daemon', 'stop']);
    const identityFile = join(home.folder, 'identity');
    const words = exported.stdout;
    const zeros = `${'abandon '.repeat(23)}art`;
    const foreign = await home.svc([...restore, '--json'], { stdin: zeros });
    expect(foreign).toEqual({
      code: 6,
      stdout: '',
      stderr: `${JSON.stringify({
        error: {
          code: 'invalid',
          message: 'These words are not the identity of this database. Nothing was written.',
          exitCode: 6,
        },
      })}\n`,
    });
    expect(formatSeed(readMasterSeed(identityFile) ?? Buffer.alloc(0))).toBe(words);
    expect((await home.svc([...restore, '--force'], { stdin: zeros })).code).toBe(0);
    expect((await home.svc(['doctor'])).stdout).toMatch(/✗ identity .*is not the identity of this database/);
    // The right one needs no force, whatever is there.
    expect((await home.svc(restore, { stdin: words })).code).toBe(0);
    expect((await home.svc(['doctor'])).stdout).toMatch(/✓ identity/);
    rmSync(identityFile);
    const gone = await home.svc(['devices', 'identity', '--export']);
    expect(gone).toMatchObject({ code: 5, stderr: expect.stringContaining('is missing, but') as string });
    const lost = await home.svc(['daemon', 'start']);
    expect(lost.code).toBe(78);
    expect(lost.stderr).toContain('svc devices identity --restore');
    expect((await home.svc(['doctor'])).stdout).toMatch(/✗ identity .*is missing/);
    expect((await home.svc([...restore, '--file', file])).stderr).toContain('svc daemon start');
    expect((await home.svc(restore, { stdin: exported.stdout })).stderr).toContain(
      'already holds this identity',
    );
    expect(JSON.parse((await home.svc(['devices', 'identity', '--json'])).stdout)).toEqual(before);
  });

  it.each([
    ['--export', '--url', 'http://127.0.0.1:1'],
    ['--restore', '--context', 'work'],
    ['--file', 'words'],
    ['--force'],
    ['--export', '--force'],
    ['--export', '--restore'],
  ])('rejects svc devices identity with %s %s', async (...flags) => {
    await using home = await SvcHome.create();
    const { code, stdout, stderr } = await home.svc(['devices', 'identity', ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^svc: .* See: svc devices identity --help\n$/);
  });

  it('reports a missing file of recovery words', async () => {
    await using home = await SvcHome.create();
    const missing = await home.svc(['devices', 'identity', '--restore', '--file', '/nowhere/words']);
    expect(missing).toEqual({
      code: 6,
      stdout: '',
      stderr: 'svc: /nowhere/words cannot be read: no such file or directory.\n',
    });
  });

  it('replaces another identity only with --force', async () => {
    await using home = await SvcHome.create();
    const identityFile = join(home.folder, 'identity');
    const zeros = `${'abandon '.repeat(23)}art`;
    writeIdentityFile(identityFile, Buffer.alloc(32, 1));
    const restore = ['devices', 'identity', '--restore'];
    const refused = await home.svc(restore, { stdin: zeros });
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('--force') as string });
    expect(readMasterSeed(identityFile)?.equals(Buffer.alloc(32, 1))).toBe(true);
    expect((await home.svc([...restore, '--force'], { stdin: zeros })).code).toBe(0);
    expect(readMasterSeed(identityFile)?.equals(Buffer.alloc(32))).toBe(true);
    const database = join(home.folder, 'svc.db');
    writeFileSync(database, 'half of a database'.repeat(100));
    expect((await home.svc(['doctor'])).stdout).toMatch(/✗ identity .*svc\.db cannot be read/);
    expect((await home.svc(restore, { stdin: zeros })).code).toBe(78);
    rmSync(database);
    // What is no identity is no loss.
    writeFileSync(identityFile, 'half of a sec');
    expect((await home.svc(['doctor'])).stdout).toMatch(/✗ identity .*is not a valid identity file/);
    expect((await home.svc(restore, { stdin: zeros })).code).toBe(0);
  });
});

describe('svc devices', () => {
  let home: SvcHome;
  let laptop: SvcHome;
  beforeAll(async () => {
    home = await SvcHome.create();
    laptop = await SvcHome.create();
    await home.svc(['daemon', 'start']);
  });
  afterAll(async () => {
    await laptop[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });
  const pair = (...args: string[]) => ['devices', 'pair', '--url', urlOf(home), ...args];

  it('pairs another machine, whose commands then work until it is revoked', async () => {
    const asking = laptop.start(pair('--name', 'work', '--device-name', 'laptop'));
    const code = codeIn(await said(asking, 'stderr', /Waiting; the code expires in 10 min\./));
    const refused = await home.svc(['devices', 'approve', code]);
    expect(refused).toMatchObject({ code: 9, stdout: '' });
    expect((await home.svc(['devices', 'pending'])).stdout).toMatch(
      /laptop +127\.0\.0\.1 +\d+ s ago +10 min +sha256:/,
    );
    const spoken = code.toLowerCase().split('-');
    const approved = await home.svc(['devices', 'approve', ...spoken, '--yes', '--role', 'user']);
    expect(approved.stderr).toContain('Paired laptop as a user.');
    const paired = outcomeOf(await asking);
    expect(paired, paired.stderr).toMatchObject({ code: 0, stdout: `${code}\n` });
    expect(paired.stderr).toContain('user. Use it: svc context use work');
    const { fingerprint } = deviceKey(
      locate({ env: { SVC_HOME: laptop.folder }, platform: 'linux', home: '/' }),
    );
    for (const line of formatFingerprint(fingerprint)) {
      expect(paired.stderr).toContain(line);
      expect(approved.stderr).toContain(line);
    }
    expect(statSync(join(laptop.folder, 'contexts.json')).mode & 0o777).toBe(0o600);
    const { token } = (
      JSON.parse(readFileSync(join(laptop.folder, 'contexts.json'), 'utf8')) as {
        contexts: { work: { token: string } };
      }
    ).contexts.work;
    expect(paired.stdout + paired.stderr).not.toContain(token);

    expect((await laptop.svc(['context', 'use', 'work'])).code).toBe(0);
    expect((await laptop.svc(['auth', 'whoami'])).stdout).toContain(`, user, at ${urlOf(home)}`);
    expect((await laptop.svc(['devices', 'ls'])).stdout).toMatch(/\* +dev_\S+ +user .* laptop +sha256:/);
    const [id = ''] = (await home.svc(['devices', 'ls', '--quiet'])).stdout.split('\n');
    const short = id.slice('dev_'.length, 20);
    expect((await home.svc(['devices', 'rename', short, 'Old laptop'])).stdout).toBe(`${id}\n`);
    expect((await home.svc(['devices', 'ls'])).stdout).toContain('Old laptop');
    expect((await home.svc(['devices', 'revoke', short])).stdout).toBe(`${id}\n`);
    expect((await laptop.svc(['auth', 'whoami'])).code).toBe(4);
    await laptop.svc(['context', 'use', 'local']);
  });

  it('reports a rejected pairing request with its reason', async () => {
    const asking = laptop.start(pair('--name', 'again', '--json'));
    const code = codeIn(await said(asking, 'stdout', codePattern));
    const rejected = await home.svc(['devices', 'reject', code, '--reason', 'not mine']);
    expect(rejected).toMatchObject({ code: 0, stdout: '' });
    const { code: exit, stdout, stderr } = outcomeOf(await asking);
    expect({ exit, stderr: stderr.slice(-200) }).toEqual({
      exit: 3,
      stderr: expect.stringContaining('The request was rejected: not mine.') as string,
    });
    expect(stdout).not.toMatch(/requestId|token/);
    expect((await home.svc(['devices', 'approve', code, '--yes'])).code).toBe(6);
    const wrong = await home.svc(['devices', 'approve', 'AAAA-BBBB-CCCC', '--yes']);
    expect(wrong).toMatchObject({ code: 5, stdout: '' });
    expect(wrong.stderr).toContain('Compare it with the device; codes expire after 10 minutes.');
  });

  it('stops waiting for a pairing after --timeout and sends no unnecessary request', async () => {
    const { code, stderr } = await laptop.svc(pair('--name', 'again', '--timeout', '100ms'));
    expect(code).toBe(8);
    expect(stderr).toContain(`Try again: svc devices pair --url ${urlOf(home)}`);
    expect((await laptop.svc(['devices', 'pair'])).code).toBe(2);
    expect((await laptop.svc(pair('--name', 'local'))).code).toBe(6);
    await laptop.svc(['context', 'set', 'taken', '--url', 'http://127.0.0.1:9']);
    expect((await laptop.svc(pair('--name', 'taken'))).stderr).toContain('--name');
    const nobody = await laptop.svc(['devices', 'pair', '--url', 'http://127.0.0.1:9']);
    expect(nobody.code).toBe(69);
    expect(existsSync(join(laptop.folder, 'daemon.json'))).toBe(false);
  });

  it('cancels a pairing on Ctrl-C', async () => {
    const asking = laptop.start(pair('--name', 'again'));
    await said(asking, 'stderr', /Waiting;/);
    asking.kill('SIGINT');
    expect(outcomeOf(await asking)).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('Cancelled; nothing was paired.') as string,
    });
  });

  it('pairs a device that scans the QR code', async () => {
    expect((await home.svc(['devices', 'qr'])).code).toBe(9);
    const showing = home.start(['devices', 'qr', '--yes', '--name', 'phone', '--role', 'user']);
    const url = new URL((await said(showing, 'stdout', /^svc:.*\n/)).trim());
    expect(url.searchParams.get('host')).toBe(urlOf(home));
    // Nobody stands behind the code yet.
    expect((await home.svc(['devices', 'pending'])).stdout).not.toMatch(/^qr /m);
    const claim = await fetch(`${urlOf(home)}/api/devices/pairing/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: url.searchParams.get('code'), requesterId: 'a \u001b[31mphone' }),
    });
    expect(claim.status).toBe(200);
    const { code, stderr } = outcomeOf(await showing);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(String.raw`a \x1b[31mphone`);
    expect(stderr).toContain('Paired phone as a user. List devices: svc devices ls');
    expect((await home.svc(['devices', 'ls'])).stdout).toMatch(/dev_\S+ +user +never +phone/);
  });

  it('pairs the browser of a phone as a limited device', async () => {
    const showing = home.start(['devices', 'qr', '--browser', '--yes', '--name', 'tablet']);
    const url = new URL((await said(showing, 'stdout', /^http:.*\n/)).trim());
    expect(url.origin + url.pathname).toBe(`${urlOf(home)}/pair`);
    const claim = await fetch(`${urlOf(home)}/api/devices/pairing/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: url.hash.slice(1), requesterId: 'Android phone' }),
    });
    expect(claim.status).toBe(200);
    const { code, stderr } = outcomeOf(await showing);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Paired tablet as a device that looks, decides and cancels.');
    expect((await home.svc(['devices', 'ls'])).stdout).toMatch(/dev_\S+ +limited +never +tablet/);
    const none = await home.svc(['devices', 'notifications', 'ls']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('No browser receives notifications.');
    expect((await home.svc(['devices', 'notifications', 'test', 'psub_0199'])).code).toBe(5);
  });

  it('prints the link of a QR code as JSON', async () => {
    const showing = home.start(['devices', 'qr', '--yes', '--json']);
    const first = await said(showing, 'stdout', /^\{.*\}\n/);
    const { pairingUrl, code } = JSON.parse(first) as { pairingUrl: string; code: string };
    expect(new URL(pairingUrl).searchParams.get('code')).toBe(code);
    await fetch(`${urlOf(home)}/api/devices/pairing/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, requesterId: 'phone' }),
    });
    const lines = outcomeOf(await showing)
      .stdout.trimEnd()
      .split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ request: { status: 'approved' } });
  });
});
