import { execFile } from 'node:child_process';
import { copyFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateTypes } from '@svc/openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const program = 'program.ts';

let daemon: TestDaemon;
let folder: string;
let types: string;

beforeAll(async () => {
  daemon = await startDaemon();
  folder = temporaryFolder();
  types = await generateTypes(await (await fetch(`${daemon.url}/api/openapi.json`)).text());
  writeFileSync(join(folder, 'api.ts'), types);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(join(root, 'test/fixtures/openapi-client/program.ts.txt'), join(folder, program));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck'];
const platform = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', 'node'];

/** What the compiler finds wrong with a file of the folder. */
const compile = async (file: string): Promise<string> => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--allowImportingTsExtensions', ...strict, ...platform];
  const { stdout } = await run(process.execPath, [tsc, ...options, file], { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  );
  return stdout;
};

describe('a client generated from the OpenAPI document', () => {
  it('a generated client compiles in strict mode together with a program that uses it', async () => {
    expect(await compile(program)).toBe('');
  });

  it('a generated client does not compile with a type that refers to itself', async () => {
    const recursive = 'export interface Schemas { Json: string | Schemas["Json"][] }';
    writeFileSync(join(folder, 'recursive.ts'), recursive);
    expect(await compile('recursive.ts')).toContain('error TS2502');
  });

  it('a generated client calls routes with typed parameters, bodies, answers and errors', async () => {
    const { stdout } = await run(process.execPath, [program, daemon.url, daemon.headers.cookie], {
      cwd: folder,
    });
    const results = JSON.parse(stdout) as { call: string; status: number; value: unknown }[];
    expect(results.map(({ call, status, value }) => [call, status, value])).toEqual([
      ['pause the queue', 200, true],
      ['create a task', 201, 'Typed'],
      ['get the task', 200, [{ any: null }]],
      ['list tasks', 200, [['Typed'], 2]],
      ['filter tasks', 200, [{ id: expect.any(String), title: 'Typed', priority: 1 }]],
      ['count tasks', 200, [1, 7]],
      ['cancel the task', 200, 'cancelled'],
      ['list experiences', 200, [0, 0]],
      ['list notifications', 200, [0, 5]],
      ['disable a guard', 200, false],
      ['create a schedule', 201, 'Nightly'],
      ['pause the schedule', 200, 'paused'],
      ['delete the schedule', 200, 'deleted'],
      ['get a schedule that is gone', 404, 'Schedule not found'],
      ['list too many tasks', 400, ['limit']],
      ['list tasks without a session', 401, 'Not signed in'],
      ['use a key twice', 409, 'This idempotency key was used with another body'],
    ]);
  });
});
