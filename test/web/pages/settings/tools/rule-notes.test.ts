import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../../../src/contract/policy.ts';
import { ruleNote, rulesOf } from '../../../../../src/web/pages/settings/tools/rule-notes.ts';

const policy: Policy = {
  defaultMode: 'ask',
  allowedTools: ['read_file', 'grep', 'web_*', 'run_command'],
  blockedTools: ['web_*', 'grep'],
  requireApprovalFor: ['run_command'],
  auditAll: true,
};
const tools = ['read_file', 'grep', 'web_fetch', 'web_search', 'run_command'];

describe('the notes of a rule', () => {
  it('say which rule wins', () => {
    expect(ruleNote('allowedTools', 'grep', policy, tools)).toBe('It is also blocked, which wins.');
    expect(ruleNote('allowedTools', 'run_command', policy, tools)).toBe(
      'It is also always asked, which wins.',
    );
  });

  it('say how much a rule matches, unless that is its own name', () => {
    expect(ruleNote('blockedTools', 'web_*', policy, tools)).toBe('It matches 2 tools.');
    expect(ruleNote('allowedTools', 'read_file', policy, tools)).toBe('');
    expect(ruleNote('allowedTools', 'read_flie', policy, tools)).toBe('No tool has this name now.');
    expect(ruleNote('allowedTools', 'read_flie', policy, undefined)).toBe('');
  });

  it('name the rules of a tool, the strongest first', () => {
    expect(rulesOf('web_fetch', policy)).toEqual(['blocked by web_*', 'allowed by web_*']);
    expect(rulesOf('run_command', policy)).toEqual(['always asked', 'allowed']);
    expect(rulesOf('write_file', policy)).toEqual([]);
  });
});
