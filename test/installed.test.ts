import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../bench/free-port.ts';
import { ensureBuilt, root } from './cli/svc-binary.ts';
import { isLong } from './helpers/long.ts';
import { callsTools, type ModelServer, says, startModelServer } from './helpers/model-server.ts';

const MIB = 2 ** 20;
const mcpServer = join(import.meta.dirname, 'helpers/mcp-stdio-server.ts');
/** The system's own Node.js where there is one, which may be too old, so that the launcher has to bring another. */
const systemPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => folder !== dirname(process.execPath) && !folder.startsWith(root))
  .join(delimiter);
const path =
  spawnSync('npm', ['--version'], { env: { ...process.env, PATH: systemPath } }).status === 0
    ? systemPath
    : process.env['PATH'];

describe.runIf(isLong)('the packed package, installed on its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-installed-'));
  const [prefix, home, elsewhere] = ['prefix', 'home', 'elsewhere'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let model: ModelServer;
  let port = 0;
  let report = '';

  /** Runs the installed command as a new user. */
  const svc = async (args: string[], input = '') => {
    const env = { PATH: `${prefix}/bin${delimiter}${path}`, HOME: home, SVC_PORT: String(port) };
    const { exitCode, stdout, stderr } = await execa(join(prefix, 'bin/svc'), args, {
      env,
      extendEnv: false,
      cwd: elsewhere,
      input,
      reject: false,
    });
    return { code: exitCode, stdout, stderr };
  };

  beforeAll(async () => {
    ensureBuilt();
    for (const each of [prefix, home, elsewhere]) mkdirSync(each);
    const options = { cwd: elsewhere, encoding: 'utf8', env: { ...process.env, PATH: path } } as const;
    const packed = execFileSync(
      'npm',
      ['pack', root, '--ignore-scripts', '--pack-destination', folder, '--json'],
      options,
    );
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    const install = [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--prefer-offline',
      '--fetch-retries=1',
      join(folder, filename),
    ];
    const { status, stdout, stderr } = spawnSync('npm', install, options);
    report = stdout + stderr;
    expect(status, report).toBe(0);
    [model, port] = await Promise.all([startModelServer(), freePort()]);
  }, 180_000);
  afterAll(async () => {
    await svc(['daemon', 'stop']);
    await model[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('installs without complaints, as few packages and little beside Node.js', () => {
    expect(report).not.toMatch(/EBADENGINE|deprecated|install-scripts|ERESOLVE/);
    const packages = globSync('**/package.json', { cwd: prefix }).filter((file) =>
      /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file),
    );
    expect(packages.length).toBeLessThanOrEqual(25);
    const bytes = globSync('**/*', { cwd: prefix, exclude: (name) => /node-linux-\w+/.test(String(name)) })
      .map((file) => statSync(join(prefix, file)))
      .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
    expect(bytes).toBeLessThan(60 * MIB);
  });

  it('runs a command as a task, from a directory and a home with nothing in them', async () => {
    const { code, stdout, stderr } = await svc(['run', '--agent', 'command', '--', 'echo hi']);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'hi' });
    expect(existsSync(join(home, '.local/share/svc/svc.db'))).toBe(true);
    expect(globSync('*', { cwd: elsewhere })).toEqual([]);
  });

  it('keeps compiled code in the cache of the user', () => {
    const cached = globSync('.cache/svc/*/*', { cwd: home });
    expect(cached.length).toBeGreaterThan(5);
    expect(statSync(join(home, '.cache/svc')).mode & 0o777).toBe(0o700);
  });

  it('chats with a model', async () => {
    model.script = says('Hel', 'lo');
    const configured = await svc([
      'providers',
      'configure',
      'ollama',
      '--base-url',
      model.url,
      '--default-model',
      'test-model',
      '--no-key',
    ]);
    expect(configured.code, configured.stderr).toBe(0);
    const { code, stdout, stderr } = await svc(['chat', '--plain', 'Hi']);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'Hello' });
  });

  it('calls a tool of an MCP server', async () => {
    const servers = {
      test: { command: process.execPath, args: [mcpServer, 'good'] },
    };
    const set = await svc(['config', 'set', 'tools.mcpServers'], JSON.stringify(servers));
    expect(set.code, set.stderr).toBe(0);
    model.asked.length = 0;
    model.script = callsTools([[{ name: 'mcp__test__echo', args: { text: 'over there' } }]], 'Heard');
    const { code, stdout, stderr } = await svc(['chat', '--plain', '--mode', 'full', 'Say it']);
    expect({ code, stdout }, stderr).toMatchObject({ code: 0, stdout: 'Heard' });
    expect(JSON.stringify(model.asked.at(-1)?.body.messages)).toContain('You said over there');
  });

  it('indexes a directory in its worker thread, and finds words in it', async () => {
    const notes = join(folder, 'notes');
    mkdirSync(notes);
    writeFileSync(join(notes, 'a.md'), '# Otters\n\nThey hold hands while they sleep.\n');
    const synced = await svc(['memory', 'sync', notes]);
    expect(synced.code, synced.stderr).toBe(0);
    expect((await svc(['memory', 'search', 'otters'])).stdout).toContain('a.md');
  });

  it('shows the lines of the sources with --debug', async () => {
    const { code, stderr } = await svc(['tasks', 'show', 'nothing', '--debug']);
    expect(code).toBe(5);
    expect(stderr).toMatch(/at resolveId \(.*src\/cli\/ids\/resolve-id\.ts:\d+:\d+\)/);
  });
});
