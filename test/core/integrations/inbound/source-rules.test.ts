import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Config } from '../../../../src/core/config/config.ts';
import { rulesOf } from '../../../../src/core/integrations/inbound/source-rules.ts';
import { rulesWith } from '../../../helpers/deliveries.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-rules-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configWith(github: Record<string, unknown>): Config {
  const settingsFile = join(folder, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify({ webhooks: { github } }));
  return new Config({ env: {}, settingsFile });
}
const branches = (...patterns: string[]) =>
  configWith({
    rules: Object.fromEntries(
      patterns.map((pattern) => [
        pattern,
        { branch: `of-${pattern.replaceAll('*', 'any').replaceAll('/', '-')}` },
      ]),
    ),
  });
const branchAt = (config: Config, place: string | undefined) => rulesOf(config, 'github', place).branch;

it('source rules default to the global settings', () => {
  const config = configWith({});
  expect(rulesOf(config, 'github', 'acme/app')).toEqual(rulesWith());
  expect(rulesOf(config, 'jira', undefined)).toEqual(rulesWith());
});

it('source rules override the global settings', () => {
  const config = configWith({
    aiTaskLabel: 'robot',
    botAccount: 'helper',
    comments: false,
    rules: {
      'acme/app': {
        enabled: false,
        botAccount: 'other',
        repository: 'acme/code',
        agent: 'builtin',
        priorities: { 'Sev-1': 1 },
        owner: 'ann@example.com',
        trusted: true,
        commenters: 'members',
        checks: 'all',
        allowBots: ['Renovate[bot]'],
      },
    },
  });
  expect(rulesOf(config, 'github', 'acme/other')).toEqual(
    rulesWith({ aiTaskLabel: 'robot', botAccount: 'helper', hasComments: false }),
  );
  expect(rulesOf(config, 'github', 'ACME/App')).toEqual({
    name: 'acme/app',
    isEnabled: false,
    aiTaskLabel: 'robot',
    botAccount: 'other',
    repository: 'acme/code',
    branch: undefined,
    agent: 'builtin',
    mode: undefined,
    cwd: undefined,
    priorities: new Map([['sev-1', 1]]),
    ownerEmail: 'ann@example.com',
    isTrusted: true,
    hasComments: false,
    commenters: 'members',
    checks: 'all',
    hasFollowUps: false,
    pushesFollowUps: false,
    allowBots: ['renovate[bot]'],
  });
  expect(rulesOf(config, 'linear', 'acme/app')).toEqual(rulesWith());
});

it('the most specific source rule applies', () => {
  const config = branches('*', 'acme/*', 'acme/app', 'acme/app*', '*/docs');
  expect(branchAt(config, 'acme/app')).toBe('of-acme-app');
  expect(branchAt(config, 'Acme/APP')).toBe('of-acme-app');
  expect(branchAt(config, 'acme/app-two')).toBe('of-acme-appany');
  expect(branchAt(config, 'acme/lib')).toBe('of-acme-any');
  expect(branchAt(config, 'other/docs')).toBe('of-any-docs');
  expect(branchAt(config, 'other/lib')).toBe('of-any');
  expect(branchAt(config, undefined)).toBe('of-any');
});

it.each([
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*a', 'aba', true],
  ['*ab*bc*', 'abc', false],
  ['*ab*bc*', 'abbc', true],
  ['*.x', 'ax', false],
  ['a', 'ab', false],
  ['**', '', true],
  ['ab*', 'a', false],
  ['*b', 'ba', false],
])('a star in a source rule matches any text and nothing else: %s at %j', (pattern, place, fits) =>
  expect(branchAt(branches(pattern), place) !== undefined).toBe(fits),
);

it('hostile patterns of source rules match quickly', () => {
  const config = configWith({ rules: { ['*a'.repeat(99)]: { branch: 'slow' } } });
  expect(branchAt(config, `${'a'.repeat(50_000)}b`)).toBeUndefined();
  expect(branchAt(config, 'a'.repeat(50_000))).toBe('slow');
});
