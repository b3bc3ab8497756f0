import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import { ensureBuilt, SvcHome } from '../cli/svc-binary.ts';
import { closeBrowser, hasBrowser, openTab } from '../helpers/browser.ts';
import { startDaemon, temporaryFolder } from '../helpers/daemon.ts';
import { sized } from '../helpers/long.ts';
import { startModelServer, useModel } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';

vi.setConfig({ testTimeout: sized(120_000, 180_000) });

/** A folder with a pipe, at which a command waits. */
function fifoFolder(): string {
  const folder = temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'go')]);
  return folder;
}

/** Every line of the output, of which only those that are seen exist at a time. */
const linesOf = async (page: Page) =>
  (await page.evaluate(`(async () => {
    const box = document.querySelector('[role=region][aria-label=Output]');
    const found = new Map();
    for (let top = 0; top <= box.scrollHeight; top += box.clientHeight / 2) {
      box.scrollTop = top;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      for (const row of box.querySelectorAll('[data-index]')) found.set(Number(row.dataset.index), row.textContent);
    }
    return [...found].sort(([a], [b]) => a - b).map(([, text]) => text);
  })()`)) as string[];

const STEPS = 6;
const LINES = 12;

describe.skipIf(!hasBrowser)('the page of a task that runs (needs Chromium)', () => {
  beforeAll(ensureBuilt);
  afterAll(closeBrowser);

  it('is complete and in order after the daemon was killed in the middle of the run', async () => {
    await using home = await SvcHome.create();
    await using model = await startModelServer();
    let held: (() => void) | undefined;
    let isHolding = true;
    model.script = async (reply, { body }) => {
      const step = body.messages.filter(({ tool_calls }) => tool_calls !== undefined).length;
      if (step === 3 && isHolding) {
        await new Promise<void>((resolve) => (held = resolve));
        return reply.cut();
      }
      if (step === STEPS) {
        reply.piece('All six are written.');
        return reply.end();
      }
      const text = Array.from({ length: LINES }, (_, at) => `step ${step + 1} line ${at + 1}\n`).join('');
      const args = { path: `step-${step + 1}.txt`, content: text };
      reply.calls(body.stream, [{ name: 'write_file', args, id: `call_${step + 1}` }], text);
    };
    expect((await home.svc(['daemon', 'start'])).code).toBe(0);
    const headers = {
      cookie: `${sessionCookie}=${readFileSync(join(home.folder, 'owner-session'), 'utf8')}`,
    };
    const url = `http://127.0.0.1:${home.port}`;
    const client = createClient(contract, { baseUrl: url, fetch: (to, init) => fetch(to, init), headers });
    await useModel({ client }, model);
    const { task } = await client.tasks.create({
      body: {
        title: 'Write six files',
        prompt: 'Write them.',
        assignedAgent: 'builtin',
        securityMode: 'full',
        cwd: temporaryFolder(),
      },
    });
    await using tab = await openTab({ url, headers });
    const { page } = tab;
    await tab.open(`/tasks/${task.id}`);
    await page.getByText('step-3.txt').first().waitFor();
    await until(() => expect(held).toBeDefined());
    process.kill(home.daemonPid, 'SIGKILL');
    await page.getByText('Reconnecting…').first().waitFor();
    expect(await page.getByRole('button', { name: 'Cancel task' }).isDisabled()).toBe(true);
    isHolding = false;
    held?.();
    expect((await home.svc(['daemon', 'start'])).code).toBe(0);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('All six are written.').first().waitFor();
    await page.locator('header').getByText('Completed').waitFor();
    const calls = async () => {
      const texts = await page.getByRole('listitem').filter({ hasText: 'write_file' }).allTextContents();
      return texts.flatMap((text) => /step-\d\.txt/.exec(text) ?? []);
    };
    await until(async () => {
      // Attempts before the newest one are folded, and appear when the page has read them.
      for (const fold of await page.locator('details:not([open]) > summary', { hasText: /^Attempt/ }).all())
        await fold.click();
      expect(await calls()).toEqual(Array.from({ length: STEPS }, (_, at) => `step-${at + 1}.txt`));
    });
    await page.getByRole('tab', { name: /^Output/ }).click();
    await page.getByRole('region', { name: 'Output' }).waitFor();
    const wanted = Array.from(
      { length: STEPS * LINES },
      (_, at) => `step ${Math.floor(at / LINES) + 1} line ${(at % LINES) + 1}`,
    );
    await until(async () => {
      const lines = await linesOf(page);
      expect(lines.filter((line) => line.startsWith('step'))).toEqual(wanted);
    });
    expect(tab.problems.filter((problem) => !/WebSocket|ERR_CONNECTION/.test(problem))).toEqual([]);
  });

  it('stays fast while ten thousand lines come', async () => {
    await using daemon = await startDaemon();
    const { client } = daemon;
    const { task } = await client.tasks.create({
      body: {
        title: 'Many lines',
        prompt:
          'read -r _ < go; for part in 0 1 2 3 4 5 6 7 8 9; do seq -f "line $part-%g" 1000; sleep 0.1; done',
        assignedAgent: 'command',
        cwd: fifoFolder(),
      },
    });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await page.addInitScript(`globalThis.longTasks = [];
      new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask', buffered: true });`);
    await tab.open(`/tasks/${task.id}?tab=output`);
    await page.getByText('What it writes appears here.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const session = await tab.context.newCDPSession(page);
    // The time that the processor worked for the page: that it waited for other programs says nothing of it.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const busy = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    };
    await page.evaluate('longTasks.length = 0');
    const before = await busy();
    const { task: read } = await client.tasks.get({ params: { id: task.id } });
    writeFileSync(join(read.cwd ?? '', 'go'), 'go\n');
    await follow(client, task.id);
    await page.getByText('line 9-1000', { exact: true }).waitFor();
    const spent = (await busy()) - before;
    const longest = Math.max(0, ...(await page.evaluate<number[]>('longTasks')));
    const elements = (await page.evaluate("document.querySelectorAll('*').length")) as number;
    process.stderr.write(
      `10,000 lines: ${(spent * 1000).toFixed(0)} ms of the main thread, longest task ${longest.toFixed(0)} ms, ${elements} elements\n`,
    );
    // Other work shares this machine: these are what nobody would mistake for slowness of it.
    expect(spent).toBeLessThan(2.5);
    expect(longest).toBeLessThan(600);
    expect(elements).toBeLessThan(700);
    await page.getByRole('searchbox').fill('line 4-500');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await page.getByText('line 4-500', { exact: true }).waitFor();
    expect(tab.problems).toEqual([]);
  });
});
