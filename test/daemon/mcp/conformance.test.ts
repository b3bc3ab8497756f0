import { execFile } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { bearerOf } from '../../helpers/mcp-clients.ts';

const kit = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** Scenarios of the kit that need none of the tools, resources and prompts that it prescribes. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'completion-complete',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

let daemon: TestDaemon;
let proxy: Server;
beforeAll(async () => {
  daemon = await startDaemon();
  proxy = await addCredential(daemon, await bearerOf(daemon, ['tasks:read', 'tasks:write']));
});
afterAll(async () => {
  proxy.close();
  await daemon[Symbol.asyncDispose]();
});

describe('the conformance kit of the Model Context Protocol', () => {
  it.each(scenarios)('finds no fault: %s', async (scenario) => {
    const { port } = proxy.address() as AddressInfo;
    const args = [kit, 'server', '--url', `http://localhost:${port}/mcp`, '--scenario', scenario];
    // It exits with 1 where a check failed.
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stripVTControlCharacters(stdout)).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  });
});

/** The kit sends no credential, so that one is added on the way; all else goes through as it is, but for the port. */
async function addCredential({ url }: TestDaemon, credential: Record<string, string>): Promise<Server> {
  const target = new URL(url);
  const server = createServer((incoming, response) => {
    const { port } = server.address() as AddressInfo;
    const translate = (value: string | undefined) => value?.replace(`:${port}`, `:${target.port}`);
    const headers = { ...incoming.headers, ...credential, host: translate(incoming.headers.host) };
    const origin = translate(incoming.headers.origin);
    const { method = 'GET', url: path = '/' } = incoming;
    const options = { method, path, port: target.port, headers: { ...headers, ...(origin && { origin }) } };
    const passed = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
