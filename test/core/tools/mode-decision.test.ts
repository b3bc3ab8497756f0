import { describe, expect, it } from 'vitest';
import type { SecurityMode } from '../../../src/contract/security-mode.ts';
import { type DecidedCall, decideByMode, matchesTool } from '../../../src/core/tools/mode-decision.ts';
import { testTool } from './guarded-calls.ts';

type Kind = ReturnType<typeof decideByMode>['kind'];
const modes: SecurityMode[] = ['deny', 'sandbox', 'allowlist', 'ask', 'full'];
const policy: DecidedCall['policy'] = {
  defaultMode: 'ask',
  allowedTools: [],
  blockedTools: [],
  requireApprovalFor: [],
  auditAll: true,
};
const harmless = testTool({ isReadOnly: true, danger: 'low' });
const reaching = testTool({ isReadOnly: true, danger: 'medium' });
const changing = testTool({ isReadOnly: false, danger: 'medium' });
const running = testTool({ isReadOnly: false, danger: 'high' });
const foreign = testTool({ isReadOnly: false, danger: 'medium', server: 'server' });
const isOnList = { policy: { ...policy, allowedTools: ['test_*'] } };
const isAskedFor = { policy: { ...policy, allowedTools: ['test_tool'], requireApprovalFor: ['test_tool'] } };
const needsPerson = { access: { needsPerson: 'It runs others' } };

/** What each mode says, in the order of the modes. */
const table: [string, Partial<DecidedCall>, Kind[]][] = [
  ['looks', { tool: harmless }, ['refuse', 'run', 'refuse', 'run', 'run']],
  ['looks beyond the machine', { tool: reaching }, ['refuse', 'run', 'refuse', 'ask', 'run']],
  ['changes', { tool: changing }, ['refuse', 'refuse', 'refuse', 'ask', 'run']],
  ['looks, and is on the list', { tool: harmless, ...isOnList }, ['refuse', 'run', 'run', 'run', 'run']],
  ['changes, and is on the list', { tool: changing, ...isOnList }, ['refuse', 'refuse', 'run', 'run', 'run']],
  [
    'is allowed for good here',
    { tool: changing, isAllowedHere: true },
    ['refuse', 'refuse', 'run', 'run', 'run'],
  ],
  ['is always asked for', { tool: harmless, ...isAskedFor }, ['refuse', 'ask', 'ask', 'ask', 'run']],
  [
    'is always asked for, and allowed for good',
    { tool: changing, ...isAskedFor, isAllowedHere: true },
    ['refuse', 'refuse', 'ask', 'ask', 'run'],
  ],
  ['needs a person', { tool: running, ...needsPerson }, ['refuse', 'refuse', 'refuse', 'ask', 'refuse']],
  [
    'needs a person, and is on the list',
    { tool: running, ...needsPerson, ...isOnList, isAllowedHere: true },
    ['refuse', 'refuse', 'refuse', 'ask', 'refuse'],
  ],
  [
    'runs programs for a stranger',
    { tool: running, isTrusted: false, ...isOnList, isAllowedHere: true },
    ['refuse', 'refuse', 'refuse', 'refuse', 'refuse'],
  ],
  [
    'reaches a server for a stranger',
    { tool: foreign, isTrusted: false, ...isOnList, isAllowedHere: true },
    ['refuse', 'refuse', 'refuse', 'refuse', 'refuse'],
  ],
  ['looks for a stranger', { tool: harmless, isTrusted: false }, ['refuse', 'run', 'refuse', 'run', 'run']],
];

describe('a tool that', () => {
  it.each(table)('%s', (_, change, expected) => {
    const call = { tool: harmless, access: {}, policy, isAllowedHere: false, isTrusted: true, ...change };
    expect(modes.map((mode) => decideByMode({ ...call, mode }).kind)).toEqual(expected);
  });
});

it.each([
  ['read_file', 'read_file', true],
  ['read_file', 'read_files', false],
  ['read', 'read_file', false],
  ['mcp__files__*', 'mcp__files__read', true],
  ['mcp__files__*', 'mcp__file', false],
  ['Read_file', 'read_file', false],
])('the pattern %s is for %s: %s', (pattern, name, expected) => {
  expect(matchesTool(['other', pattern], name)).toBe(expected);
});
