import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AgentTestStep } from '../../../src/contract/agents.ts';
import type { ConfiguredAgent } from '../../../src/core/agent-programs/configured-agents.ts';
import { ProgramProbe } from '../../../src/core/agent-programs/program-probe.ts';
import { testAgent } from '../../../src/core/agent-programs/test-agent.ts';
import { presetOf } from '../../../src/core/agents/presets.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { acpProgram } from '../../helpers/agents/acp-settings.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';

const agentOf = (change: Partial<ConfiguredAgent>): ConfiguredAgent => ({
  type: 'demo',
  preset: presetOf('demo'),
  program: '',
  args: [],
  env: {},
  model: undefined,
  maxTokens: undefined,
  programSetting: 'agents.added',
  isAdded: true,
  allowedVersion: undefined,
  ...change,
});

const env = { PATH: process.env['PATH'], HOME: tmpdir() };

async function stepsOf(agent: Partial<ConfiguredAgent>, signal = new AbortController().signal) {
  const probe = new ProgramProbe({ env, home: tmpdir(), installation: 'test-agent' });
  const order = {
    agent: agentOf(agent),
    probe,
    env,
    installation: 'test-agent',
    runtime: systemRuntime,
    signal,
  };
  const steps: AgentTestStep[] = [];
  for await (const step of testAgent(order)) steps.push(step);
  return {
    steps,
    states: Object.fromEntries(steps.map(({ name, status }) => [name, status])),
    messageOf: (step: string) => steps.find(({ name }) => name === step)?.message,
  };
}

describe('the test of an agent', () => {
  it('passes with an agent that answers, asks and stops', async () => {
    const { states, messageOf } = await stepsOf(acpProgram());
    expect(states).toEqual({
      version: 'ok',
      start: 'ok',
      turn: 'ok',
      denied_call: 'ok',
      cancel: 'ok',
      stop: 'ok',
    });
    expect(messageOf('version')).toBe('1.2.3');
    expect(messageOf('turn')).toBe('answered: ready');
    expect(messageOf('denied_call')).toBe('asked, was denied, and ran nothing');
    expect(messageOf('stop')).toBe('no process is left');
  });

  it('gives the agent the files that its start names, until it ends', async () => {
    const seen: [folder: string, isThere: boolean][] = [];
    const preset = {
      ...presetOf('demo'),
      files: { 'policy.toml': 'ask' },
      start: ({ files = '' }: { files?: string | undefined }) => {
        seen.push([files, existsSync(join(files, 'policy.toml'))]);
        return { argv: [], env: {} };
      },
    };
    expect((await stepsOf({ ...acpProgram(), preset })).states).toMatchObject({ start: 'ok', stop: 'ok' });
    expect(seen).toEqual([[expect.stringContaining(tmpdir()), true]]);
    expect(existsSync(seen[0]?.[0] ?? '')).toBe(false);
  });

  it('says so if the agent did not ask for the command and ran nothing', async () => {
    const { states } = await stepsOf(acpProgram('--chatty'));
    expect(states).toMatchObject({ denied_call: 'not_asked', cancel: 'ok', stop: 'ok' });
  });

  it.each([
    ['--unasked', 'The agent ran the command without asking'],
    ['--stubborn', 'The command ran although it was denied'],
  ])('fails if a command ran: %s', async (flag, message) => {
    const { states, messageOf } = await stepsOf(acpProgram(flag));
    expect(states).toMatchObject({ turn: 'ok', denied_call: 'failed', cancel: 'skipped', stop: 'ok' });
    expect(messageOf('denied_call')).toBe(message);
  });

  it('names the login that is missing', async () => {
    const { states, messageOf } = await stepsOf(acpProgram('--no-login'));
    expect(states).toMatchObject({ start: 'ok', turn: 'failed', denied_call: 'skipped', stop: 'ok' });
    expect(messageOf('turn')).toBe('demo needs a login: log in with its own program');
  });

  it('starts nothing if the program was not found or is too old', async () => {
    const missing = await stepsOf({ program: '/nope/demo' });
    expect(missing.states).toMatchObject({ version: 'failed', start: 'skipped', stop: 'skipped' });
    expect(missing.messageOf('version')).toContain(
      '/nope/demo, the program of the agent "demo", was not found',
    );
    const preset = { ...presetOf('codex'), driver: 'acp' as const };
    const old = await stepsOf({
      ...acpProgram(),
      preset: { ...preset, versions: { min: '2.0.0', tested: '3.0.0' } },
    });
    expect(old.states).toMatchObject({ version: 'failed', start: 'skipped' });
    expect(old.messageOf('version')).toBe(
      'Codex 1.2.3 is too old: svc needs 2.0.0 or newer. Update it: npm install -g @openai/codex',
    );
  });

  it('removes its fold, and ends at once when the caller has gone', async () => {
    // Of its own: another file may test an agent at the same time.
    const folder = memoryFolder();
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    });
    const controller = new AbortController();
    controller.abort();
    const { states } = await stepsOf(acpProgram(), controller.signal);
    expect(states).toMatchObject({ start: 'failed', turn: 'skipped', stop: 'ok' });
    expect(readdirSync(folder)).toEqual([]);
  });
});
