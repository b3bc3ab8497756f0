import { describe, expect, it } from 'vitest';
import { secretsOf, withoutSecrets } from '../../../../src/core/tools/mcp/mcp-secrets.ts';
import { mcpToolName } from '../../../../src/core/tools/mcp/mcp-tool.ts';

describe('mcpToolName', () => {
  it('joins the names of the server and the tool', () => {
    expect(mcpToolName('files', 'read_file-2')).toBe('mcp__files__read_file-2');
  });

  it('sanitizes and shortens names for model vendors and keeps them unique', () => {
    const server = 'x'.repeat(40);
    const tools = ['a.b', 'a_b', 'a/b', 'ä', '', 'y'.repeat(100), `${'y'.repeat(100)}z`];
    const names = tools.map((tool) => mcpToolName(server, tool));
    for (const name of names) expect(name).toMatch(/^mcp__x{40}__?[\w-]*$/);
    expect(Math.max(...names.map(({ length }) => length))).toBe(64);
    expect(new Set(names).size).toBe(tools.length);
  });
});

describe('secretsOf', () => {
  const common = { enabled: true, readOnlyTools: [], roots: [] };
  it('returns headers, and their values without the scheme', () => {
    const secrets = secretsOf({
      url: 'https://a.example',
      headers: { Authorization: 'Bearer abc123xyz' },
      ...common,
    });
    expect(withoutSecrets('Bearer abc123xyz, abc123xyz', secrets.definite)).toBe('••••, ••••');
  });

  it('separates definite secrets from plain settings', () => {
    const env = { REGION: 'eu-west-1', API_TOKEN: 'abc123xyz', DEBUG: '1' };
    const { definite, all } = secretsOf({ command: 'x', args: [], env, ...common });
    expect(withoutSecrets('1 abc123xyz in eu-west-1', definite)).toBe('1 •••• in eu-west-1');
    expect(withoutSecrets('1 abc123xyz in eu-west-1', all)).toBe('1 •••• in ••••');
  });
});
