import { expect, it } from 'vitest';
import { claudeArgv } from '../../../../../src/core/agents/drivers/claude/claude-argv.ts';
import { readTranscript, scenariosOf } from '../../../../helpers/agents/transcripts.ts';

const guards = [
  ['--settings', '{"permissions":{"ask":["*"]},"disableAllHooks":true}'],
  ['--setting-sources', 'user'],
  ['--add-dir', '.'],
  ['--strict-mcp-config'],
];
const order = { cwd: '/work', mcpServers: [], isSandboxed: false };

it.each(scenariosOf('claude-stdio').filter((name) => name === 'answer'))(
  'starts Claude Code as in the recorded runs: %s',
  (scenario) => {
    const { argv } = readTranscript('claude-stdio', scenario);
    // What keeps the settings of others out has no part in the protocol.
    const guarded = new Set(guards.flat());
    const own = claudeArgv({ ...order, model: 'm1' }).argv.filter((argument) => !guarded.has(argument));
    expect(own).toEqual(argv.slice(1));
  },
);

it('lets nothing run unasked, whatever the settings of the user and the project are', () => {
  expect(claudeArgv(order).argv.join(' ')).toContain(guards.flat().join(' '));
});

it('names the model and the session to continue', () => {
  const { argv, env } = claudeArgv({ ...order, model: 'opus', resume: 'abc' });
  expect(argv.slice(-4)).toEqual(['--model', 'opus', '--resume', 'abc']);
  expect(env).toEqual({});
});

it('does not let a value become an option', () => {
  const { argv } = claudeArgv({ ...order, resume: '--dangerously-skip-permissions' });
  expect(argv.at(-1)).toBe('--resume=--dangerously-skip-permissions');
});

it('hands MCP servers over without a value of their environment in the arguments', () => {
  const server = {
    name: 'git',
    command: 'git-mcp',
    args: ['--root', '${HOME}/x'],
    env: { TOKEN: 'sk-$1-secret' },
  };
  const { argv, env } = claudeArgv({ ...order, mcpServers: [server, { ...server, name: 'two' }] });
  expect(argv.join(' ')).not.toContain('secret');
  expect(argv).toContain('--strict-mcp-config');
  const config = argv[argv.indexOf('--mcp-config') + 1] ?? '';
  const expanded = JSON.parse(config, (_, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => env[name] ?? '')
      : value,
  ) as object;
  const { name: _, ...started } = server;
  expect(expanded).toEqual({
    mcpServers: { git: { type: 'stdio', ...started }, two: { type: 'stdio', ...started } },
  });
});
