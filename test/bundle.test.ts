import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { chunkOf, chunks, dist, loadedWith, packagesIn } from './helpers/bundle.ts';
import { memoryFolder } from './helpers/memory-folder.ts';
import { ensureBuilt, root } from './cli/svc-binary.ts';

/** What is loaded with its first use: vendors of models, MCP, Markdown, the screen, programs, schedules, pages, the watcher. */
const late = [
  'ai',
  /^@ai-sdk\//,
  /^@openrouter\//,
  /^@modelcontextprotocol\//,
  'marked',
  'ink',
  'react',
  'execa',
  'undici',
  'croner',
  'htmlparser2',
  'chokidar',
  'oauth4webapi',
  'rate-limiter-flexible',
  'ora',
  'conf',
];
const lateOf = (packages: string[]) =>
  packages.filter((name) => late.some((each) => (each instanceof RegExp ? each.test(name) : each === name)));

beforeAll(ensureBuilt);

it('loads the version with no package, and commands with commander only', () => {
  expect(packagesIn(loadedWith('main.js'))).toEqual([]);
  expect(packagesIn(loadedWith(chunkOf('src/cli/program/run-cli.ts')))).toEqual(['commander']);
});

it('starts the daemon without the packages that are loaded with their first use', async () => {
  const home = memoryFolder();
  const file = join(home, 'loaded');
  const daemon = spawn(
    process.execPath,
    [
      '--import',
      fileURLToPath(new URL('helpers/loaded-files.ts', import.meta.url)),
      join(root, 'bin/svc.js'),
      'daemon',
      '--port=0',
    ],
    {
      env: { ...process.env, HOME: home, SVC_HOME: home, LOADED_FILES: file },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(daemon.stdout, 'data');
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
  const loaded = readFileSync(file, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith(pathToFileURL(dist).href))
    .map((url) => basename(url));
  rmSync(home, { recursive: true });
  expect(packagesIn(loaded)).toEqual(expect.arrayContaining(['fastify', 'kysely', 'pino', 'zod']));
  expect(lateOf(packagesIn(loaded))).toEqual([]);
  expect(loaded).not.toContain(chunkOf('src/core/telemetry/start-telemetry.ts'));
  // Each file costs time; the daemon has one of its own beside what it shares with commands.
  expect(loaded.length).toBeLessThan(42);
});

it('loads the screen with the commands that show one only', () => {
  const screen = packagesIn(loadedWith(chunkOf('src/cli/tui/chat/start-chat.tsx')));
  expect(screen).toEqual(expect.arrayContaining(['ink', 'react', 'marked']));
  for (const command of [
    'chat/run-chat.ts',
    'chat/plain-chat.ts',
    'tasks/list-tasks.ts',
    'run/run-task.ts',
    'run/follow-run.ts',
  ])
    expect(lateOf(packagesIn(loadedWith(chunkOf(`src/cli/commands/${command}`)))), command).toEqual([]);
});

it('has no chunk that fails when it is loaded first', () => {
  const others = chunks().filter(
    (name) => !['main.js', 'index-thread.js', 'reader-thread.js', 'snapshot-thread.js'].includes(name),
  );
  expect(others.length).toBeGreaterThan(50);
  const script = `for (const file of ${JSON.stringify(others)}) await import('${pathToFileURL(dist).href}/' + file);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
});

it('keeps the license of every package that it contains', () => {
  const licenses = readFileSync(join(dist, 'licenses.txt'), 'utf8');
  const packages = packagesIn(chunks());
  expect(packages.length).toBeGreaterThan(80);
  expect(packages.filter((name) => !licenses.includes(`\n${name} `))).toEqual([]);
});
