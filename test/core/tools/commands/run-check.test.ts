import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { runCheck } from '../../../../src/core/tools/commands/run-check.ts';
import { hasSandbox, makeDirectory, noSandbox, path, type TestDirectory } from './command-setup.ts';

let directory: TestDirectory;
let workspace: string;
beforeEach(async () => {
  directory = await makeDirectory('/var/tmp');
  workspace = join(directory.path, 'work');
  await mkdir(workspace);
});
afterEach(() => directory[Symbol.asyncDispose]());

async function check(sandbox: Sandbox, command: string, more: { needsSandbox?: boolean } = {}) {
  const chunks: Buffer[] = [];
  const deps = {
    sandbox,
    env: { PATH: path, OPENAI_API_KEY: 'daemon-key' },
    policy: { isGuardOn: () => true },
    protectedDirectories: [],
  };
  const end = await runCheck(deps, {
    command,
    workspace,
    mark: 'test/check',
    signal: new AbortController().signal,
    onOutput: (chunk) => void chunks.push(Buffer.from(chunk)),
    ...more,
  });
  return { ...end, output: Buffer.concat(chunks).toString() };
}

it('a check without a sandbox runs in a shell, without the keys of the daemon, and says so', async () => {
  const { exit, environment, output } = await check(noSandbox(), 'env | grep -c daemon-key; pwd; exit 3');
  expect({ exit, environment }).toEqual({ exit: { code: 3, signal: null }, environment: 'no sandbox' });
  expect(output).toBe(`0\n${workspace}\n`);
});

it('a check of untrusted work does not run without a sandbox', async () => {
  const { exit } = await check(noSandbox(), 'touch ran', { needsSandbox: true });
  expect(exit).toMatchObject({ error: { message: expect.stringContaining('there is no sandbox: ') } });
  expect(existsSync(join(workspace, 'ran'))).toBe(false);
});

describe.runIf(hasSandbox.isWorking)('a check in the sandbox', () => {
  const sandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });

  it('writes to the workspace only', async () => {
    const command = `echo in > inside; echo out > ${directory.path}/outside || true; exit 5`;
    const { exit, environment } = await check(sandbox, command);
    expect({ exit, environment }).toEqual({ exit: { code: 5, signal: null }, environment: 'sandbox' });
    expect(existsSync(join(workspace, 'inside'))).toBe(true);
    expect(existsSync(join(directory.path, 'outside'))).toBe(false);
  });

  it('does not see secrets of the workspace or the keys of the daemon, and reaches no network', async () => {
    await writeFile(join(workspace, '.env'), 'KEY=workspace-key\n');
    const { output } = await check(sandbox, 'cat .env; env; cat /proc/net/route');
    expect(output).not.toMatch(/workspace-key|daemon-key/);
    expect(output).not.toMatch(/eth0|ens|wlan/);
  });
});
