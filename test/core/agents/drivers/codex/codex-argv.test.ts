import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { codexArgv } from '../../../../../src/core/agents/drivers/codex/codex-argv.ts';
import { order } from '../../../../helpers/agents/codex-peer.ts';

const server = { name: 'tracker', command: '/bin/server', args: ['--stdio'], env: {} };
const settingsOf = (argv: string[]) => argv.filter((_, index) => index % 2 === 0).slice(1);

describe('the arguments of Codex', () => {
  it('start the app server with the settings of svc and leave the rest to its user', () => {
    const { argv, env } = codexArgv(order);
    expect(env).toEqual({});
    expect(argv[0]).toBe('app-server');
    expect(argv.filter((_, index) => index % 2 === 1).every((argument) => argument === '-c')).toBe(true);
    expect(settingsOf(argv)).toEqual([
      'analytics.enabled=false',
      'check_for_update_on_startup=false',
      'shell_environment_policy.ignore_default_excludes=false',
      'tools.update_plan.enabled=true',
      'approvals_reviewer="user"',
      'features.hooks=false',
      'projects={"/work"={trust_level="untrusted"}}',
    ]);
  });

  it('quote what an MCP server is called with as TOML', () => {
    const args = ['a "b"', String.raw`c\d`, 'e\nf', "g'h", 'ü🚀', '\x7f'];
    const { argv } = codexArgv({ ...order, mcpServers: [{ ...server, args }] });
    expect(argv.at(-1)).toBe(
      String.raw`mcp_servers.tracker={command="/bin/server",args=["a \"b\"","c\\d","e\nf","g'h","ü🚀","\u007f"],env_vars=["SVC_RUN"],default_tools_approval_mode="prompt"}`,
    );
  });

  it('hold no secret of an MCP server; two servers may give one name different values', () => {
    const { argv, env } = codexArgv({
      ...order,
      mcpServers: [
        { ...server, env: { TOKEN: 'secret-one' } },
        { ...server, name: 'other', env: { TOKEN: 'secret-two', PATH: '/other' } },
      ],
    });
    expect(argv.join(' ')).not.toMatch(/secret|\/other/);
    expect(env).toEqual({
      SVC_MCP_0_TOKEN: 'secret-one',
      SVC_MCP_1_TOKEN: 'secret-two',
      SVC_MCP_1_PATH: '/other',
    });
    expect(argv.join(' ')).toContain('env_vars=["SVC_RUN","SVC_MCP_1_TOKEN","SVC_MCP_1_PATH"]');
    expect(argv.at(-1)).toBe('shell_environment_policy.exclude=["SVC_MCP_*"]');
  });

  it('give an MCP server its variables under their own names', () => {
    const program =
      'process.stdout.write(JSON.stringify([process.env.TOKEN, process.env.SVC_MCP_0_TOKEN, process.argv[1]]))';
    const { argv, env } = codexArgv({
      ...order,
      mcpServers: [
        {
          ...server,
          command: process.execPath,
          args: ['-e', program, 'a "b" $c'],
          env: { TOKEN: 'q"\'$x `y`\n' },
        },
      ],
    });
    const table = argv.find((argument) => argument.startsWith('mcp_servers.')) ?? '';
    // The texts of this table are JSON as well.
    const [, command = '', args = ''] = /command=(".*?"),args=(\[.*\]),env_vars=/.exec(table) ?? [];
    const { stdout } = spawnSync(JSON.parse(command) as string, JSON.parse(args) as string[], {
      env,
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual(['q"\'$x `y`\n', null, 'a "b" $c']);
  });

  it.each(['a.b', 'a="x"', ''])('refuse %j as the name of an MCP server', (name) => {
    expect(() => codexArgv({ ...order, mcpServers: [{ ...server, name }] })).toThrow('MCP server');
  });

  it('refuse a variable that a shell cannot name', () => {
    expect(() => codexArgv({ ...order, mcpServers: [{ ...server, env: { 'A;rm': 'x' } }] })).toThrow('A;rm');
  });
});
