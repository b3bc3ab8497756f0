import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, root } from '../../cli/svc-binary.ts';
import { closeBrowser, hasBrowser, openTab } from '../../helpers/browser.ts';
import { codeBlocksOf } from '../../helpers/code-blocks.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';

const [page = ''] = codeBlocksOf(readFileSync(join(root, 'docs/typed-client.md'), 'utf8'), 'html');
const files: Record<string, [string, () => string]> = {
  '/page.html': ['text/html', () => page],
  '/client.js': ['text/javascript', () => readFileSync(join(root, 'dist/client.js'), 'utf8')],
};

/** Serves the page of the guide and passes /api to the daemon, as a reverse proxy does. */
const proxy = createServer((incoming, answer) => {
  const file = files[incoming.url ?? ''];
  if (file) return void answer.writeHead(200, { 'content-type': file[0] }).end(file[1]());
  if (!incoming.url?.startsWith('/api/')) return void answer.writeHead(204).end();
  const { method, headers, url } = incoming;
  const outgoing = request(new URL(url, daemon.url), { method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(answer);
  });
  incoming.pipe(outgoing);
});
let daemon: TestDaemon;
let site: string;

describe.runIf(hasBrowser)('the page of the guide of the typed client', () => {
  beforeAll(async () => {
    ensureBuilt();
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    site = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    daemon = await startDaemon({ flags: { 'server.baseUrl': site } });
  }, 180_000);
  afterAll(async () => {
    await closeBrowser();
    proxy.closeAllConnections();
    proxy.close();
    await daemon[Symbol.asyncDispose]();
  });

  it('calls routes and reads a stream in a browser, with the session of the browser', async () => {
    const command = { assignedAgent: 'command', prompt: 'echo "from the daemon"' };
    await daemon.client.tasks.create({ body: { title: 'Said', ...command } });
    await using tab = await openTab({ url: site, headers: daemon.headers });
    await tab.open('/page.html');
    await tab.page.getByText('from the daemon').waitFor();
    const text = (await tab.page.locator('pre').textContent()) ?? '';
    expect(text).toMatch(/^created [^]*\ncompleted [^]*from the daemon\n$/);
    expect(tab.problems).toEqual([]);
  });

  it('gets no answer of the daemon from another site', async () => {
    await using tab = await openTab({ url: daemon.url, headers: daemon.headers });
    // Another port is another origin.
    await tab.open('/api/health');
    const other = new URL(site);
    other.hostname = 'localhost';
    await tab.page.goto(`${other.origin}/page.html`);
    const failure = await tab.page.evaluate(
      `import('/client.js').then(({ createClient }) => createClient({ baseUrl: ${JSON.stringify(daemon.url)} }).health.get()).then(() => 'answered', ({ name }) => name)`,
    );
    expect(failure).toBe('ConnectionError');
  });
});
