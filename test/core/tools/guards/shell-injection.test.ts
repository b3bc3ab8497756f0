import { describe, expect, it } from 'vitest';
import { shellInjectionGuard } from '../../../../src/core/tools/guards/shell-injection.ts';
import type { Tool, ToolAccess } from '../../../../src/core/tools/tool.ts';
import { contextOf, noSandbox, planOf, toolOf } from '../commands/command-setup.ts';

const options = { workspace: '/tmp', sandbox: noSandbox(), mayRunCommands: true };
const own = toolOf(options);
const mcpTool: Tool = { ...own, name: 'mcp__x__run', server: 'x' };

const check = (tool: Tool, args: Record<string, unknown>, access: ToolAccess = {}) =>
  shellInjectionGuard.check({ tool, args, access, paths: [], context: contextOf(options) });

describe('shell-injection on commands', () => {
  it('allows a command of plain words', async () => {
    const args = { command: "ls -la 'a b'" };
    const { access } = await planOf(args, options);
    expect(check(own, args, access)).toBeUndefined();
  });

  it.each([
    'ls; id',
    'ls | sh',
    'echo $(id)',
    'echo `id`',
    'ls && id',
    'echo > file',
    'ls\nid',
    'a=b ls',
    '',
  ])('refuses the command %j with an explanation', async (command) => {
    const { access } = await planOf({ command }, options);
    expect(check(own, { command }, access)).toMatch(/\w{3}/);
  });

  it('refuses an argv that differs from the parsed command', () => {
    const args = { command: 'ls -la' };
    const run = (argv: string[]) => check(own, args, { command: { argv, cwd: '/tmp' } });
    expect(run(['ls', '-la'])).toBeUndefined();
    for (const argv of [['ls'], ['ls', '-l'], ['ls', '-la', 'x'], ['ls -la'], []])
      expect(run(argv)).toBe('The program to run does not match the command');
    expect(check(own, args)).toBe('The program to run does not match the command');
    expect(check(own, { command: 7 })).toBe('The command is empty');
  });

  it('refuses an argv with line breaks or NUL from any tool', () => {
    const other: Tool = { ...own, name: 'other' };
    const run = (argv: string[], cwd = '/tmp') => check(other, {}, { command: { argv, cwd } });
    expect(run(['ls', '-la'])).toBeUndefined();
    for (const argv of [['ls', 'a\nb'], ['ls', 'a\0b'], ['ls\r']]) expect(run(argv)).toMatch(/line breaks/);
    expect(run(['ls'], '/tmp\0')).toMatch(/line breaks/);
    for (const argv of [[], ['']]) expect(run(argv)).toBe('There is no program to run');
  });
});

describe('shell-injection on MCP tools', () => {
  it.each([
    { command: 'ls -la "a b"' },
    { args: ['-la', 'a b'] },
    { text: 'a; b | c $(d)' },
    { description: 'what a command is; for example' },
    { command: 7, args: null, script: true },
  ])('shell-injection allows the MCP arguments %j', (args) => {
    expect(check(mcpTool, args)).toBeUndefined();
  });

  it.each([
    { command: 'ls; id' },
    { command: 'ls\nid' },
    { command: 'ls\0' },
    { cmd: 'ls | sh' },
    { CMD: 'ls & id' },
    { script: 'echo $HOME' },
    { shell: 'echo `id`' },
    { args: ['ok', 'x > y'] },
    { args: [['a', ['(b)']]] },
    { shellCommand: 'a;b' },
    { shell_command: 'a;b' },
    { 'run-command': 'a;b' },
    { options: { nested: [{ command: 'a && b' }] } },
  ])('shell-injection refuses the MCP arguments %j', (args) => {
    expect(check(mcpTool, args)).toMatch(/shell syntax/);
  });

  it('ignores arguments of built-in tools that are not commands', () => {
    expect(check({ ...own, name: 'write_file' }, { script: 'a; b' })).toBeUndefined();
  });
});
