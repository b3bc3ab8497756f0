import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCookie } from '../../src/contract/locations.ts';
import { ensureBuilt, root } from '../cli/svc-binary.ts';
import { send } from '../helpers/http.ts';
import { traversals } from '../helpers/traversals.ts';
import { sized } from '../helpers/long.ts';
import { canTrace } from '../helpers/strace.ts';

const SPELLINGS = sized(1500, 10_000);
const AT_ONCE = 20;

let home: string;
let folder: string;
let url: string;
let headers: { cookie: string };
let daemon: ReturnType<typeof spawn>;
/** What the daemon asked of the file system, a line each. */
const trace = () => readFileSync(join(home, 'trace'), 'utf8');

describe.skipIf(!canTrace)(`${SPELLINGS} forms of path traversal (needs strace)`, () => {
  beforeAll(async () => {
    ensureBuilt();
    home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-paths-')));
    folder = join(home, 'work');
    mkdirSync(join(folder, 'docs'), { recursive: true });
    mkdirSync(join(home, 'outside'));
    writeFileSync(join(folder, 'docs', 'page.md'), 'A page about otters.\n');
    writeFileSync(join(home, 'outside', 'zanzibar.md'), 'The zanzibar plan.\n');
    const command = [
      '-f',
      '--seccomp-bpf',
      '-qq',
      '-s',
      '10000',
      '-e',
      'trace=%file',
      '-o',
      join(home, 'trace'),
    ];
    daemon = spawn('strace', [...command, process.execPath, join(root, 'bin/svc.js'), 'daemon'], {
      env: { PATH: process.env['PATH'], HOME: home, SVC_HOME: join(home, 'svc'), SVC_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let said = '';
    for await (const bytes of daemon.stdout ?? []) {
      said += String(bytes);
      const ready = /http:\/\/[\d.]+:\d+/.exec(said);
      if (ready) {
        [url] = ready;
        break;
      }
    }
    headers = { cookie: `${sessionCookie}=${readFileSync(join(home, 'svc', 'owner-session'), 'utf8')}` };
    const synced = await send({ url }, 'POST', '/api/memory/sync', { basePath: folder }, headers);
    expect(synced.body).toMatchObject({ added: 1 });
  }, 180_000);
  afterAll(async () => {
    if (daemon?.exitCode === null) {
      // The daemon, and strace with it.
      if (daemon.pid) process.kill(-daemon.pid, 'SIGKILL');
      await once(daemon, 'close');
    }
    if (home && existsSync(home)) rmSync(home, { recursive: true, force: true });
  });

  const key = encodeURIComponent;
  const fields: Record<string, (path: string) => [string, string, object?]> = {
    'the path whose chunks are read': (path) => ['GET', `files/${key(path)}/chunks`],
    'the path that is deleted': (path) => ['DELETE', `files/${key(path)}`],
    'the chunk that is deleted': (path) => ['DELETE', `chunks/${key(path)}`],
    'the folder of a search': (path) => ['POST', 'search', { query: 'zanzibar', under: path }],
  };

  it.each(Object.entries(fields))(
    'path traversal as %s touches no file',
    async (_, requestOf) => {
      const target = join(home, 'outside', 'zanzibar.md');
      const spellings = traversals(folder, target, SPELLINGS);
      const before = trace().length;
      for (let at = 0; at < spellings.length; at += AT_ONCE)
        await Promise.all(
          spellings.slice(at, at + AT_ONCE).map(async (spelling) => {
            const [method, path, body] = requestOf(spelling);
            const answer = await send({ url }, method, `/api/memory/${path}`, body, headers);
            expect([200, 400, 404], spelling).toContain(answer.status);
            expect(JSON.stringify(answer.body)).not.toContain('The zanzibar plan');
            if (method !== 'POST') expect(answer.status, spelling).not.toBe(200);
          }),
        );
      const places = [
        ...trace()
          .slice(before)
          .matchAll(/"((?:[^"\\]|\\.)*)"/g),
      ].map(([, place = '']) => place);
      expect(places.filter((place) => /zanzibar|outside/i.test(place))).toEqual([]);
      expect(places.filter((place) => place.startsWith(folder) && normalize(place) !== place)).toEqual([]);
    },
    180_000,
  );
});
