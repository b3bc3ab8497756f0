import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { sessionCookie } from '../src/contract/locations.ts';
import { type BenchServer, startServer } from './child.ts';
import { type Figure, median, percentile } from './report.ts';

const ROUNDS = 7;
const ROWS = 100_000;
const LINES = 35_000;
const SECONDS = 3.5;
const WHEELS = 60;
const ECHOES = 20;

/** What the pages of the web UI cost the main thread of a browser, and how soon they show what an agent prints. */
export async function web(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const svc = await startServer('daemon', { SVC_HOME: home });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'],
  });
  /** A tab of its own, with nothing in its cache. */
  const open = async (path: string, throttle = 1) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const value = svc.headers['cookie']?.slice(sessionCookie.length + 1) ?? '';
    await context.addCookies([{ name: sessionCookie, value, url: svc.url }]);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: throttle });
    await page.goto(svc.url + path);
    return { page, devtools, close: () => context.close() };
  };
  try {
    const first = await times(ROUNDS, () => untilInteractive(() => open('/')));
    const slow = await times(ROUNDS, () => untilInteractive(() => open('/', 4)));
    await svc.ask({ manyTasks: ROWS });
    const list = await scrolling(await open('/tasks'));
    const lines = await printing(svc, open);
    const echo = await times(ECHOES, () => echoUntilPainted(svc, open));
    return [
      figure('main thread until the inbox is interactive', median(first), 'ms', 300),
      figure('the same at a quarter of the speed', median(slow), 'ms', 1200),
      figure(
        `elements of the list of ${ROWS.toLocaleString('en')} tasks, after scrolling`,
        list.elements,
        '',
        600,
      ),
      figure('main thread for a turn of the wheel there', list.ms, 'ms', 8),
      figure(
        `main thread while ${LINES.toLocaleString('en')} lines arrive in ${SECONDS} s, in percent`,
        lines,
        '%',
        25,
      ),
      {
        ...figure('echo of an agent until it is painted, p50', median(echo), 'ms', 100),
        note: `p95 ${percentile(echo, 0.95).toFixed(0)} ms`,
      },
    ];
  } finally {
    await browser.close();
    await svc.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

interface OpenPage {
  page: Page;
  devtools: CDPSession;
  close: () => Promise<void>;
}

async function times(count: number, once: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  // The first one loads what the daemon and the browser have not loaded.
  for (let round = 0; round <= count; round++) all.push(await once());
  return all.slice(1);
}

/** Seconds of the main thread so far. */
async function busy(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

async function untilInteractive(open: () => Promise<OpenPage>): Promise<number> {
  const { page, devtools, close } = await open();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.getByText('Nothing needs you.').waitFor();
  const ms = (await busy(devtools)) * 1000;
  await close();
  return ms;
}

async function scrolling({ page, devtools, close }: OpenPage): Promise<{ elements: number; ms: number }> {
  await page.getByText(`Task ${ROWS}`, { exact: true }).waitFor();
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 400);
  await settle(page);
  const before = await busy(devtools);
  for (let turn = 0; turn < WHEELS; turn++) {
    await page.mouse.wheel(0, 120);
    await settle(page);
  }
  const ms = (((await busy(devtools)) - before) * 1000) / WHEELS;
  const elements = await page.evaluate('document.querySelectorAll("*").length');
  await close();
  return { elements: Number(elements), ms };
}

/** The next picture is there. */
const settle = (page: Page) =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

async function printing(svc: BenchServer, open: (path: string) => Promise<OpenPage>): Promise<number> {
  // The page shows the command as well, so what is waited for is not in it as one text.
  const script = `const step = () => {
    for (let i = 0; i < ${LINES / (SECONDS * 50)}; i++) console.log('comp' + 'iled', 'src/module-' + ++n + '.ts');
    if (n < ${LINES}) return setTimeout(step, began + (n / ${LINES}) * ${SECONDS * 1000} - Date.now());
    console.log('the ' + 'end');
  };
  let n = 0, began;
  setTimeout(() => { began = Date.now(); step(); }, 2500);`;
  const id = await runCommand(svc, `${process.execPath} -e "${script}"`);
  const { page, devtools, close } = await open(`/tasks/${id}?tab=output`);
  await page.getByText('compiled').first().waitFor();
  const before = await busy(devtools);
  const began = performance.now();
  await page.getByText('the end', { exact: true }).waitFor();
  const share = ((await busy(devtools)) - before) / ((performance.now() - began) / 1000);
  await close();
  return share * 100;
}

async function echoUntilPainted(
  svc: BenchServer,
  open: (path: string) => Promise<OpenPage>,
): Promise<number> {
  const id = await runCommand(
    svc,
    `${process.execPath} -e "setTimeout(() => console.log('said' + ' at ' + Date.now()), 1500)"`,
  );
  const { page, close } = await open(`/tasks/${id}?tab=output`);
  const ms = await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const said = /said at (\\d+)/.exec(document.body.innerText);
      if (said) requestAnimationFrame(() => resolve(Date.now() - Number(said[1])));
      return said !== null;
    };
    if (look()) return;
    const observer = new MutationObserver(() => look() && observer.disconnect());
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  })`);
  await close();
  return Number(ms);
}

async function runCommand({ url, headers }: BenchServer, command: string): Promise<string> {
  const response = await fetch(`${url}/api/tasks`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'A build', prompt: command, assignedAgent: 'command' }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  return task.id;
}

const figure = (name: string, value: number, unit: string, most: number): Figure => ({
  name,
  ours: `${value.toFixed(unit === '' ? 0 : 1)} ${unit}`.trim(),
  baseline: '',
  value,
  bound: { most },
});
