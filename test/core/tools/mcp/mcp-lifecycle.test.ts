import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { killMarked } from '../../../../src/core/processes/marked-processes.ts';
import { markedProcesses } from '../../../rigs/marked-processes.ts';
import { openMcpServers, run, stdio } from './mcp-setup.ts';

const isSleep = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sleep';

describe('a connection to an MCP server', () => {
  it('connects on first use, with one attempt for all callers', async () => {
    await using mcp = await openMcpServers({ files: stdio('good') });
    expect(mcp.processes()).toEqual([]);
    await Promise.all([mcp.servers.tools(), mcp.servers.servers(), mcp.servers.tools()]);
    expect(new Set(mcp.processes().map(({ mark }) => mark)).size).toBe(1);
  });

  it('reports that the server exited during a call, and reconnects after a backoff', async () => {
    await using mcp = await openMcpServers({ files: stdio('good') });
    const crash = await mcp.tool('mcp__files__crash');
    await expect(run(crash)).rejects.toThrow('The MCP server files cannot be used: it exited with code 3');
    await vi.waitFor(() => expect(mcp.processes()).toEqual([]), 20_000);
    expect(await mcp.servers.servers()).toMatchObject([
      { connected: false, tools: 0, message: 'It exited with code 3' },
    ]);
    await expect(run(crash)).rejects.toThrow('it exited with code 3');
    expect(mcp.processes()).toEqual([]);
    mcp.wait(1000);
    expect(await mcp.servers.servers()).toMatchObject([{ connected: true }]);
    // The second failure in a row doubles the backoff.
    await expect(run(crash)).rejects.toThrow('it exited with code 3');
    mcp.wait(1000);
    expect(await mcp.servers.tools()).toEqual([]);
    mcp.wait(1000);
    expect(await mcp.servers.tools()).not.toEqual([]);
  });

  it('returns the result of a program that exits right after it, and leaves no process', async () => {
    await using mcp = await openMcpServers({ files: stdio('hasty') });
    expect((await run(await mcp.tool('mcp__files__echo'), { text: 'bye' })).content).toBe('You said bye');
    await vi.waitFor(
      async () => expect(await mcp.servers.servers()).toMatchObject([{ message: 'It exited with code 0' }]),
      20_000,
    );
    await vi.waitFor(() => expect(mcp.processes()).toEqual([]), 20_000);
  });

  it('does not make callers wait for the next attempt after a failure', async () => {
    await using mcp = await openMcpServers(
      { bad: stdio('silent') },
      { limits: { connectMs: 2000, callMs: 2000 } },
    );
    expect(await mcp.servers.tools()).toEqual([]);
    expect(mcp.processes()).toEqual([]);
    mcp.wait(1000);
    expect(await mcp.servers.tools()).toEqual([]);
    // If the caller had waited, the attempt would be finished.
    await vi.waitFor(() => expect(mcp.processes()).not.toEqual([]), { timeout: 20_000, interval: 5 });
  });

  it('times out a slow call and keeps the connection open', async () => {
    await using mcp = await openMcpServers(
      { files: stdio('good') },
      { limits: { connectMs: 15_000, callMs: 300 } },
    );
    const hang = await mcp.tool('mcp__files__hang');
    await expect(run(hang)).rejects.toThrow('it did not answer in 0.3 seconds');
    expect(await mcp.servers.servers()).toMatchObject([{ connected: true }]);
  });

  it('closes the connection if the server no longer responds', async () => {
    await using mcp = await openMcpServers(
      { files: stdio('good') },
      { limits: { connectMs: 4000, callMs: 500 } },
    );
    await expect(run(await mcp.tool('mcp__files__freeze'))).rejects.toThrow('did not answer in 0.5 seconds');
    await vi.waitFor(
      async () =>
        expect(await mcp.servers.servers()).toMatchObject([
          { connected: false, message: 'It did not answer in time' },
        ]),
      { timeout: 15_000 },
    );
    await vi.waitFor(() => expect(mcp.processes()).toEqual([]), 20_000);
  });

  it('extends the timeout of a call that reports progress', async () => {
    await using mcp = await openMcpServers(
      { files: stdio('good') },
      { limits: { connectMs: 15_000, callMs: 1500 } },
    );
    expect((await run(await mcp.tool('mcp__files__slow'))).content).toBe('at last');
  });

  it('aborts a call with the reason of its signal', async () => {
    await using mcp = await openMcpServers({ files: stdio('good') });
    const hang = await mcp.tool('mcp__files__hang');
    const controller = new AbortController();
    const called = run(hang, {}, controller.signal);
    controller.abort(new Error('enough'));
    await expect(called).rejects.toThrow('enough');
    await expect(run(hang, {}, controller.signal)).rejects.toThrow('enough');
    expect((await run(await mcp.tool('mcp__files__echo'), { text: 'on' })).content).toBe('You said on');
  });

  it('closes a connection when its settings change, and disables its old tools', async () => {
    await using mcp = await openMcpServers({ files: stdio('good'), other: stdio('good') });
    const echo = await mcp.tool('mcp__files__echo');
    const [before] = mcp.processes();
    const hang = run(await mcp.tool('mcp__files__hang'));
    await mcp.set({ files: stdio('good', { env: { A: 'b' } }), other: stdio('good', { enabled: false }) });
    mcp.servers.applySettings();
    await expect(hang).rejects.toThrow('its settings have changed');
    await expect(run(echo)).rejects.toThrow('its settings have changed');
    expect((await mcp.servers.tools()).map(({ server }) => server)).not.toContain('other');
    expect(await mcp.servers.servers()).toMatchObject([
      { name: 'files', connected: true },
      { name: 'other', connected: false, message: 'It is disabled' },
    ]);
    await vi.waitFor(() => expect(new Set(mcp.processes().map(({ mark }) => mark)).size).toBe(1), 20_000);
    expect(mcp.processes()).not.toContainEqual(before);
    await mcp.set({});
    expect(await mcp.servers.tools()).toEqual([]);
    await vi.waitFor(() => expect(mcp.processes()).toEqual([]), 20_000);
  });

  it('leaves no process behind, even of a server that ignores signals', async () => {
    await using mcp = await openMcpServers({ deaf: stdio('deaf') });
    await mcp.servers.tools();
    await mcp.set({ deaf: stdio('deaf'), silent: stdio('silent') });
    const connecting = mcp.servers.tools();
    await vi.waitFor(() => expect(new Set(mcp.processes().map(({ mark }) => mark)).size).toBe(2), 20_000);
    const { servers } = mcp;
    await servers.close();
    await connecting;
    await vi.waitFor(() => expect(mcp.processes()).toEqual([]), 20_000);
    expect(await servers.tools()).toEqual([]);
    expect(mcp.processes()).toEqual([]);
  });

  it('kills the server when the daemon is killed', async () => {
    const setup = new URL('mcp-setup.ts', import.meta.url).href;
    const script = `const { openMcpServers, stdio } = await import('${setup}');
      const mcp = await openMcpServers({ deaf: stdio('deaf') });
      await mcp.servers.tools();
      console.log(mcp.processes()[0].mark);`;
    const daemon = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const [line] = (await once(daemon.stdout, 'data')) as [Buffer];
    const mark = line.toString().trim();
    const inGroup = () => markedProcesses((found) => found === mark).filter(({ pid }) => !isSleep(pid));
    expect(inGroup()).not.toEqual([]);
    daemon.kill('SIGKILL');
    await vi.waitFor(() => expect(inGroup()).toEqual([]), { timeout: 10_000 });
    // The next daemon finds processes that left their group by their mark.
    await killMarked((found) => found === mark);
  });

  it('loads the client of the SDK only when there is a server to connect to', () => {
    const script = fileURLToPath(new URL('../../../helpers/loaded-packages.ts', import.meta.url));
    const core = new URL('../../../../src/core/', import.meta.url).href;
    const loads = (...files: string[]) =>
      spawnSync(process.execPath, [script, ...files.map((file) => core + file)], { encoding: 'utf8' }).stdout;
    expect(loads('app.ts', 'tools/mcp/mcp-servers.ts')).not.toContain('@modelcontextprotocol');
    expect(loads('tools/mcp/mcp-client.ts')).toContain('@modelcontextprotocol/client');
  });
});
