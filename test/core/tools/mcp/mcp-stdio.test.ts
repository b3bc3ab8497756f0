import { describe, expect, it, vi } from 'vitest';
import { ToolFailure } from '../../../../src/core/tools/tool.ts';
import { openMcpServers, run, stdio } from './mcp-setup.ts';

/** Enough for a program to start on a busy machine, and what one that is silent costs. */
const quick = { connectMs: 10_000, callMs: 10_000 };

describe('an MCP server over stdio', () => {
  it('prefixes the tools of a server, and marks them read-only only if the settings say so', async () => {
    await using mcp = await openMcpServers({ files: stdio('good', { readOnlyTools: ['echo'] }) });
    expect(mcp.processes()).toEqual([]);
    const tools = await mcp.servers.tools();
    expect(tools.map(({ name }) => name)).toContain('mcp__files__echo');
    const echo = tools.find(({ name }) => name === 'mcp__files__echo');
    expect(echo).toMatchObject({
      server: 'files',
      isReadOnly: true,
      danger: 'medium',
      description: 'The tool echo',
    });
    expect(echo?.inputSchema).toMatchObject({ type: 'object', properties: { text: { type: 'string' } } });
    expect(tools.find(({ name }) => name === 'mcp__files__fail')).toMatchObject({
      isReadOnly: false,
      danger: 'high',
    });
    expect(await run(echo, { text: 'hello' })).toEqual({
      content: 'You said hello',
      origin: 'The MCP server files',
    });
    expect(await mcp.servers.servers()).toEqual([
      { name: 'files', transport: 'stdio', connected: true, tools: tools.length },
    ]);
  });

  it('returns every kind of content as text', async () => {
    await using mcp = await openMcpServers({ files: stdio('good') });
    expect((await run(await mcp.tool('mcp__files__everything'))).content.split('\n')).toEqual([
      'one',
      '[image, 5 bytes, not shown]',
      '[resource test://a]',
      'two',
      '[resource test://b, 3 bytes, not shown]',
      '[link test://c] three',
      '{"four":4}',
    ]);
    expect((await run(await mcp.tool('mcp__files__twice'))).content).toBe('{ "four": 4 }');
    const long = (await run(await mcp.tool('mcp__files__long'))).content;
    expect(long).toHaveLength(50_000);
    expect(long.endsWith('[… the rest is left out]')).toBe(true);
  });

  it('reports the failure of an MCP tool', async () => {
    await using mcp = await openMcpServers({ files: stdio('good') });
    const failed = run(await mcp.tool('mcp__files__fail'));
    await expect(failed).rejects.toBeInstanceOf(ToolFailure);
    await expect(failed).rejects.toThrow('no such ticket');
  });

  it('offers a server the roots that are configured for it, and gives them to its tools alone', async () => {
    await using mcp = await openMcpServers({
      files: stdio('good', { roots: ['/srv/notes'] }),
      other: stdio('good'),
    });
    expect((await run(await mcp.tool('mcp__files__ask'))).content).toBe('fulfilled\nrejected');
    expect((await run(await mcp.tool('mcp__other__ask'))).content).toBe('rejected\nrejected');
    expect((await mcp.tool('mcp__files__echo'))?.roots).toEqual(['/srv/notes']);
    expect((await mcp.tool('mcp__other__echo'))?.roots).toEqual([]);
  });

  it.each([['relative'], ['/'], ['/../'], [5]])('rejects the root %j', async (root) => {
    await expect(openMcpServers({ files: stdio('good', { roots: [root] }) })).rejects.toThrow(
      'files.roots.0',
    );
  });

  it('refuses requests of a server for models, user input or directories', async () => {
    await using mcp = await openMcpServers({ files: stdio('good') });
    expect((await run(await mcp.tool('mcp__files__ask'))).content).toBe('rejected\nrejected');
    await using modern = await openMcpServers({ files: stdio('modern') });
    await expect(run(await modern.tool('mcp__files__more'))).rejects.toThrow(
      'a capability that svc does not support',
    );
  });

  it('gives a server only allowed environment variables and those of its settings', async () => {
    const env = { ...process.env, OPENAI_API_KEY: 'sk-daemon', LC_ALL: 'C' };
    await using mcp = await openMcpServers(
      { files: stdio('good', { env: { REGION: 'north-1', FILES_TOKEN: 'files-token-1' }, cwd: '/usr' }) },
      { env },
    );
    const seen = (await run(await mcp.tool('mcp__files__environment'))).content;
    expect(JSON.parse(seen)).toMatchObject({ LC_ALL: 'C', REGION: 'north-1', FILES_TOKEN: '••••' });
    expect(seen).not.toContain('sk-daemon');
    expect((await run(await mcp.tool('mcp__files__folder'))).content).toBe('/usr');
  });

  it('lists the tools again after the server reports a change', async () => {
    await using mcp = await openMcpServers({ files: stdio('good') });
    expect(await mcp.tool('mcp__files__grown')).toBeUndefined();
    await run(await mcp.tool('mcp__files__grow'));
    expect((await run(await mcp.tool('mcp__files__grown'))).content).toBe('grown');
  });

  it('connects to a server that supports only later protocol versions', async () => {
    await using mcp = await openMcpServers({ files: stdio('modern') });
    expect((await run(await mcp.tool('mcp__files__echo'), { text: 'hi' })).content).toBe('You said hi');
  });

  it('tolerates a greeting in the output of an MCP server', async () => {
    await using mcp = await openMcpServers({ files: stdio('greeting') });
    expect((await run(await mcp.tool('mcp__files__echo'), { text: 'hi' })).content).toBe('You said hi');
  });

  it('lists the tools page by page within limits', async () => {
    await using mcp = await openMcpServers({ many: stdio('many'), pages: stdio('pages') });
    const tools = await mcp.servers.tools();
    const [many, pages] = await mcp.servers.servers();
    expect(many).toMatchObject({ tools: 200, message: expect.stringContaining('more tools than the 200') });
    expect(pages).toMatchObject({
      tools: 9,
      message: expect.stringContaining('9 of its tools are left out'),
    });
    expect(tools).toHaveLength(209);
    const description = tools[0]?.description ?? '';
    expect(description.startsWith('Abccc')).toBe(true);
    expect(description).toHaveLength(2000);
  });
});

describe('a faulty MCP server over stdio', () => {
  // Two of them use up their time.
  it.concurrent.each([
    ['silent', 'It did not answer in 10 seconds'],
    ['garbage', 'Its output is not MCP'],
    ['endlessLine', 'It sent a message of more than 8388608 bytes'],
    ['flood', 'It sends too many messages'],
    ['exit', 'It exited with code 7'],
  ])('reports the fault of a server that is %s without affecting others', async (behaviour, message) => {
    await using mcp = await openMcpServers({ bad: stdio(behaviour), good: stdio('good') }, { limits: quick });
    const tools = await mcp.servers.tools();
    expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(['good']));
    expect((await mcp.servers.servers())[0]).toEqual({
      name: 'bad',
      transport: 'stdio',
      connected: false,
      tools: 0,
      message,
    });
    await vi.waitFor(() => expect(new Set(mcp.processes().map(({ mark }) => mark)).size).toBe(1), 20_000);
  });

  it('reports that the command or the directory of a server does not exist', async () => {
    await using mcp = await openMcpServers({
      one: { command: 'no-such-command' },
      two: stdio('good', { cwd: '/no/such/folder' }),
    });
    expect((await mcp.servers.servers()).map(({ message }) => message)).toEqual([
      'Its command was not found',
      'Its working directory does not exist: /no/such/folder',
    ]);
  });
});
