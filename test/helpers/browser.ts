import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { sessionCookie } from '../../src/contract/locations.ts';
import type { TestDaemon } from './daemon.ts';
import { patienceMs } from './long.ts';
import { until } from './tasks.ts';
import type { TestUser } from './users.ts';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether there is a browser. In CI its absence is a failure. */
export const hasBrowser = existsSync(executablePath) || process.env['CI'] === 'true';
if (!hasBrowser)
  process.stderr.write(`The pages are not tested: there is no Chromium at ${executablePath}\n`);

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Three widths: a phone, a tablet and a laptop. */
export const widths = [390, 1024, 1440] as const;

let running: Promise<Browser> | undefined;
function browser(): Promise<Browser> {
  // As root Chromium has no sandbox; without the other switches it looks for its makers at every start.
  running ??= chromium.launch({
    executablePath,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return running;
}

/** A tab of a browser of its own, with what went wrong in it. */
export interface Tab extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** What the console said of errors, warnings and violations of the content security policy; empty at the end of a test. */
  problems: string[];
  /** Loads a path of the daemon. */
  open(path: string): Promise<void>;
}

export interface TabOptions {
  /** Whose session it has: the owner unless set; none for null. */
  user?: TestUser | null;
  width?: number;
  height?: number;
}

/** Opens a tab at the daemon. Where a test provokes an answer that a browser logs, it clears `problems` itself. */
export async function openTab(
  daemon: Pick<TestDaemon, 'headers' | 'url'>,
  { user, width = 1440, height = 900 }: TabOptions = {},
): Promise<Tab> {
  const context = await (
    await browser()
  ).newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(Math.max(30_000, patienceMs));
  if (user !== null) {
    const cookie = (user ?? daemon).headers['cookie'] ?? '';
    const value = new RegExp(`${sessionCookie}=([^;]+)`).exec(cookie)?.[1];
    if (value === undefined) throw new Error('The session of the user is not in a cookie');
    await context.addCookies([
      { name: sessionCookie, value, url: daemon.url, httpOnly: true, sameSite: 'Lax' },
    ]);
  }
  const page = await context.newPage();
  const problems: string[] = [];
  await page.addInitScript(`addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error('content security policy: ' + violatedDirective + ' ' + blockedURI))`);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return {
    page,
    context,
    problems,
    open: async (path) => void (await page.goto(new URL(path, daemon.url).href)),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Presses Enter on a button as soon as it takes it: a key, unlike a click, does not wait until a button is enabled. */
export async function pressEnter(button: Locator): Promise<void> {
  await button.and(button.page().locator(':not(:disabled)')).press('Enter');
}

/**
 * Presses Enter on the button that reads again what could not be read, until that is shown. While the page reads without being asked,
 * as it does once it is connected, it takes the button away, and a press with it.
 */
export async function tryAgain(page: Page, shown: Locator): Promise<void> {
  const button = page.getByRole('button', { name: 'Try again' });
  await until(async () => {
    if (await button.isVisible()) await button.press('Enter', { timeout: 1000 });
    await shown.waitFor({ timeout: 1000 });
  });
}

/** Waits until the element with the focus has a property with this value. */
export async function untilFocused(page: Page, property: string, value: string): Promise<void> {
  await until(async () => expect(await page.evaluate(`document.activeElement?.${property}`)).toBe(value));
}

/** Ends the browser of this file. */
export async function closeBrowser(): Promise<void> {
  await (await running)?.close();
  running = undefined;
}

/**
 * Looks at the page at three widths in two themes: what axe finds, and whether it scrolls sideways. Where `SVC_SCREENSHOTS`
 * names a directory, a picture of each is there under the name.
 */
export async function inspect({ page }: Tab, name: string): Promise<string[]> {
  const found: string[] = [];
  // A page that was opened just now loads its part of the program.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  const directory = process.env['SVC_SCREENSHOTS'];
  if (directory) mkdirSync(directory, { recursive: true });
  const before = page.viewportSize();
  for (const width of widths)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.emulateMedia({ colorScheme });
      if (directory) await page.screenshot({ path: join(directory, `${name}-${width}-${colorScheme}.png`) });
      // Through the debugger, so that the policy of the page stays as it is.
      await page.evaluate(`${axeScript};0`);
      const { violations, isWide } = (await page.evaluate(`(async () => ({
        isWide: document.documentElement.scrollWidth > innerWidth,
        violations: (await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })).violations
          .map(({ id, nodes }) => id + ' ' + nodes[0].target),
      }))()`)) as { violations: string[]; isWide: boolean };
      const where = `${name} ${width} ${colorScheme}`;
      found.push(...violations.map((violation) => `${where}: ${violation}`));
      if (isWide) found.push(`${where}: scrolls sideways`);
    }
  await page.emulateMedia({ colorScheme: 'light' });
  if (before) await page.setViewportSize(before);
  return found;
}
