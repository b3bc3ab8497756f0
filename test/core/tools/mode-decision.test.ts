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
const external = testTool({ isReadOnly: true, danger: 'medium' });
const changing = testTool({ isReadOnly: false, danger: 'medium' });
const running = testTool({ isReadOnly: false, danger: 'high' });
const mcpTool = testTool({ isReadOnly: false, danger: 'medium', server: 'server' });
const isOnList = { policy: { ...policy, allowedTools: ['test_*'] } };
const requiresApproval = {
  policy: { ...policy, allowedTools: ['test_tool'], requireApprovalFor: ['test_tool'] },
};
const needsPerson = { access: { needsPerson: 'It runs others' } };

/** The decision of each mode, in the order of the modes. */
const table: [string, Partial<DecidedCall>, Kind[]][] = [
  ['is read-only', { tool: harmless }, ['refuse', 'run', 'refuse', 'run', 'run']],
  ['reaches beyond the machine', { tool: external }, ['refuse', 'run', 'refuse', 'ask', 'run']],
  ['changes data', { tool: changing }, ['refuse', 'refuse', 'refuse', 'ask', 'run']],
  ['is read-only and on the list', { tool: harmless, ...isOnList }, ['refuse', 'run', 'run', 'run', 'run']],
  [
    'changes data and is on the list',
    { tool: changing, ...isOnList },
    ['refuse', 'refuse', 'run', 'run', 'run'],
  ],
  [
    'is always allowed in this conversation',
    { tool: changing, allowedBy: 'call' as const },
    ['refuse', 'refuse', 'run', 'run', 'run'],
  ],
  [
    'always requires an approval',
    { tool: harmless, ...requiresApproval },
    ['refuse', 'ask', 'ask', 'ask', 'run'],
  ],
  [
    'always requires an approval, although it is always allowed',
    { tool: changing, ...requiresApproval, allowedBy: 'call' as const },
    ['refuse', 'refuse', 'ask', 'ask', 'run'],
  ],
  [
    'needs a decision by a person',
    { tool: running, ...needsPerson },
    ['refuse', 'refuse', 'refuse', 'ask', 'refuse'],
  ],
  [
    'needs a decision by a person, although it is on the list',
    { tool: running, ...needsPerson, ...isOnList, allowedBy: 'call' as const },
    ['refuse', 'refuse', 'refuse', 'ask', 'refuse'],
  ],
  [
    'runs programs for untrusted input',
    { tool: running, isTrusted: false, ...isOnList, allowedBy: 'call' as const },
    ['refuse', 'refuse', 'refuse', 'refuse', 'refuse'],
  ],
  [
    'calls a server for untrusted input',
    { tool: mcpTool, isTrusted: false, ...isOnList, allowedBy: 'call' as const },
    ['refuse', 'refuse', 'refuse', 'refuse', 'refuse'],
  ],
  [
    'is read-only, for untrusted input',
    { tool: harmless, isTrusted: false },
    ['refuse', 'run', 'refuse', 'run', 'run'],
  ],
];

describe('decideByMode', () => {
  it.each(table)('decides in every mode about a tool that %s', (_, change, expected) => {
    const call = { tool: harmless, access: {}, policy, isTrusted: true, ...change };
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
])('matches the policy pattern %s against %s: %s', (pattern, name, expected) => {
  expect(matchesTool(['other', pattern], name)).toBe(expected);
});
