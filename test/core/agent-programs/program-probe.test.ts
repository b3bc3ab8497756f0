import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ProgramProbe } from '../../../src/core/agent-programs/program-probe.ts';
import { presetOf } from '../../../src/core/agents/presets.ts';

async function versionOf(output: string) {
  const program = join(mkdtempSync(join(tmpdir(), 'svc-test-')), 'codex');
  writeFileSync(program, `#!/bin/sh\necho '${output}'\n`);
  chmodSync(program, 0o755);
  const agent = {
    type: 'codex',
    preset: presetOf('codex'),
    program,
    args: [],
    env: {},
    model: undefined,
    maxTokens: undefined,
    programSetting: 'agents.codex.program',
    isAdded: false,
    allowedVersion: undefined,
  };
  const env = { PATH: process.env['PATH'], HOME: tmpdir() };
  return new ProgramProbe({ env, home: tmpdir(), installation: 'probe' }).version(agent, program);
}

it('refuses a version that is too old', async () => {
  expect(await versionOf('codex-cli 0.1.0')).toMatchObject({ problem: { state: 'too_old' } });
});

it('warns of a build without a version, and lets it work', async () => {
  const found = await versionOf('codex-cli 0.0.0');
  expect(found).toEqual({
    version: '0.0.0',
    warning: 'It is a build without a version, which svc cannot compare',
  });
});
