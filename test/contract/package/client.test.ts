import { execFile, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../cli/svc-binary.ts';
import { codeBlocksOf } from '../../helpers/code-blocks.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { gatewayClient } from '../../helpers/gateway.ts';
import { installPackage } from '../../helpers/installed-package.ts';
import { allRoutes } from '../../helpers/routes.ts';

const run = promisify(execFile);
const guide = readFileSync(join(root, 'docs/typed-client.md'), 'utf8');
/** The Node.js of the system, where it is another than this one and has fetch. */
const systemNode = '/usr/bin/node';
const systemVersion = spawnSync(systemNode, ['--version'], { encoding: 'utf8' }).stdout?.trim();
const isOther = /^v2\d/.test(systemVersion ?? '') && systemVersion !== process.version;
const tsc = join(root, 'node_modules/typescript/bin/tsc');

let installed: ReturnType<typeof installPackage>;
let daemon: TestDaemon;
let env: Record<string, string>;
beforeAll(async () => {
  installed = installPackage();
  daemon = await startDaemon();
  const { token } = await gatewayClient(daemon, { scopes: ['tasks:write', 'agents:command'] });
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: installed.home,
    SVC_URL: daemon.url,
    SVC_TOKEN: token,
    SVC_SESSION_FILE: join(daemon.home, 'owner-session'),
  };
}, 180_000);
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(installed.folder, { recursive: true });
});

/** Runs a program in the folder with the package; rejects unless it exits with 0. */
const node = async (file: string, code: string, program = process.execPath) => {
  writeFileSync(join(installed.project, file), code);
  return run(program, [file], { cwd: installed.project, env });
};
/** What the compiler finds wrong with a file, without the types of Node.js and with those of browsers. */
const compile = async (file: string, code: string, more: string[] = []): Promise<string> => {
  writeFileSync(join(installed.project, file), code);
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const platform = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
  const { stdout } = await run(process.execPath, [tsc, ...options, ...platform, ...more, file], {
    cwd: installed.project,
  }).catch((failure: { stdout: string }) => failure);
  return stdout;
};

describe('the installed package', () => {
  it('brings no other package with the client', () => {
    const packages = readdirSync(join(installed.project, 'node_modules')).filter(
      (name) => !name.startsWith('.'),
    );
    expect(packages).toEqual(['svc-agents']);
  });

  it('has a client of one file without imports, which is small', () => {
    const code = readFileSync(join(installed.project, 'node_modules/svc-agents/dist/client.js'), 'utf8');
    expect(code).not.toMatch(/\bimport\b\s*[({'"*]|\brequire\(|node:|process\./);
    expect(code.length).toBeLessThan(32_000);
    expect(gzipSync(code).length).toBeLessThan(9_000);
  });

  it('has the OpenAPI document that the daemon serves', async () => {
    const { stdout } = await node(
      'document.js',
      `import document from 'svc-agents/openapi.json' with { type: 'json' };\nconsole.log(JSON.stringify(document));`,
    );
    expect(JSON.parse(stdout)).toEqual(await (await fetch(`${daemon.url}/api/openapi.json`)).json());
  });

  it('has a method for each route and each stream, at runtime and in the types', async () => {
    const names = allRoutes
      .flatMap(({ name, route }) => (route.events ? [name, `${name}Stream`] : [name]))
      .sort();
    const { stdout } = await node(
      'methods.js',
      `import { createClient } from 'svc-agents/client';
       const client = createClient({ baseUrl: 'http://127.0.0.1' });
       console.log(JSON.stringify(Object.entries(client).flatMap(([r, ms]) => Object.keys(ms).map((m) => r + '.' + m))));`,
    );
    expect((JSON.parse(stdout) as string[]).sort()).toEqual(names);
    const typed = `import type { Client } from 'svc-agents/client';
      type Name = { [R in keyof Client]: \`\${R}.\${keyof Client[R] & string}\` }[keyof Client];
      const names = ${JSON.stringify(names)} as const;
      type Exactly = [Name] extends [(typeof names)[number]] ? ([(typeof names)[number]] extends [Name] ? true : never) : never;
      export const exactly: Exactly = true;`;
    expect(await compile('names.ts', typed)).toBe('');
  });

  it.each([
    ['a body without what is required', `await client.tasks.create({ body: {} });`],
    ['a call without its parameters', `await client.tasks.get();`],
    ['a query with an unknown word', `await client.tasks.list({ query: { status: 'done' } });`],
    ['a route that does not exist', `await client.tasks.explode();`],
    ['a field that a result does not have', `(await client.tasks.get({ params: { id: '' } })).task.colour;`],
    [
      'an event as what it is not',
      `for await (const { data } of client.tasks.listEventsStream({ params: { id: '' } })) data.seq.length;`,
    ],
  ])('does not compile with %s', async (_, code) => {
    const program = `import { createClient } from 'svc-agents/client';\nconst client = createClient();\n${code}`;
    expect(await compile('wrong.ts', program)).toMatch(/^wrong\.ts\(3,\d+\): error TS/);
  });
});

describe('the guide of the typed client', () => {
  it('has examples that run as JavaScript and do what they say', async () => {
    const [first = '', live = '', ...more] = codeBlocksOf(guide, 'js');
    expect(more).toEqual([]);
    const counted = await node('run.js', first);
    expect(counted.stdout).toMatch(/^\s*\d+\n/);
    expect(counted.stderr).toMatch(/^created .*\n[^]*completed /m);
    const followed = await node('live.js', live);
    expect(followed.stdout).toMatch(/^Seen live created\n[^]*Seen live completed\n/);
  });

  it.runIf(isOther)(`has examples that run in Node.js ${systemVersion}, too`, async () => {
    const counted = await node('run.js', codeBlocksOf(guide, 'js')[0] ?? '', systemNode);
    expect(counted.stdout).toMatch(/^\s*\d+\n/);
  });

  it('has an example that compiles in strict mode with checked libraries, and runs', async () => {
    const [example = '', ...more] = codeBlocksOf(guide, 'ts');
    expect(more).toEqual([]);
    // The types of Node.js, for its `process`.
    cpSync(join(root, 'node_modules/@types/node'), join(installed.project, 'node_modules/@types/node'), {
      recursive: true,
    });
    symlinkSync(
      join(root, 'node_modules/undici-types'),
      join(installed.project, 'node_modules/undici-types'),
    );
    expect(await compile('program.ts', example, ['--types', 'node'])).toBe('');
    const { stdout } = await node('program.ts', example);
    expect(stdout).toMatch(
      /^connect again after event \d+\ncreated [^]* completed\n400 Validation failed title\n$/,
    );
  });
});
