import { describe, expect, it } from 'vitest';
import { secretsOf, withoutSecrets } from '../../../../src/core/tools/mcp/mcp-secrets.ts';
import { mcpToolName } from '../../../../src/core/tools/mcp/mcp-tool.ts';

describe('the name of an MCP tool', () => {
  it('is that of the server and of the tool', () => {
    expect(mcpToolName('files', 'read_file-2')).toBe('mcp__files__read_file-2');
  });

  it('is one that models take, and still one of its own, where it has to be changed or cut', () => {
    const server = 'x'.repeat(40);
    const given = ['a.b', 'a_b', 'a/b', 'ä', '', 'y'.repeat(100), `${'y'.repeat(100)}z`];
    const names = given.map((tool) => mcpToolName(server, tool));
    for (const name of names) expect(name).toMatch(/^mcp__x{40}__?[\w-]*$/);
    expect(Math.max(...names.map(({ length }) => length))).toBe(64);
    expect(new Set(names).size).toBe(given.length);
  });
});

describe('the secrets of an MCP server', () => {
  const common = { enabled: true, readOnlyTools: [] };
  it('are its headers, and of those with a scheme the rest, too', () => {
    const secrets = secretsOf({
      url: 'https://a.example',
      headers: { Authorization: 'Bearer abc123xyz' },
      ...common,
    });
    expect(withoutSecrets('Bearer abc123xyz, abc123xyz', secrets.sure)).toBe('••••, ••••');
  });

  it('are not mere settings, of which a result may well speak', () => {
    const env = { REGION: 'eu-west-1', API_TOKEN: 'abc123xyz', DEBUG: '1' };
    const { sure, all } = secretsOf({ command: 'x', args: [], env, ...common });
    expect(withoutSecrets('1 abc123xyz in eu-west-1', sure)).toBe('1 •••• in eu-west-1');
    expect(withoutSecrets('1 abc123xyz in eu-west-1', all)).toBe('1 •••• in ••••');
  });
});
