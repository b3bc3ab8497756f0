import { join } from 'node:path';
import { ensureBuilt, root } from '../../cli/svc-binary.ts';
import { closeBrowser, openTab, type Tab } from '../../helpers/browser.ts';
import { poll } from '../poll.ts';
import { type LivedInDaemon, startLivedInDaemon } from './lived-in-daemon.ts';

/** A picture of the documentation: a page of the web UI as somebody sees it. */
interface Picture {
  name: string;
  path: (seen: LivedInDaemon) => string;
  /** The selector of what comes last. */
  shows: string;
  size?: { width: number; height: number };
}

const LIMIT_MS = 10_000;
const phone = { width: 390, height: 844 };
const pictures: readonly Picture[] = [
  { name: 'web-inbox', path: () => '/', shows: 'text=Nightly import' },
  { name: 'web-tasks', path: () => '/tasks', shows: 'text=Fix the total of the cart' },
  { name: 'web-task', path: ({ fixed }) => `/tasks/${fixed}`, shows: 'strong' },
  { name: 'web-chat', path: ({ conversation }) => `/chat/${conversation}`, shows: 'pre' },
  {
    name: 'web-approval',
    path: ({ approval }) => `/approvals/${approval}`,
    shows: 'text=oxlint',
    size: phone,
  },
];

ensureBuilt();
const wanted = process.argv.slice(2);
await using seen = await startLivedInDaemon();
for (const { name, path, shows, size = { width: 1280, height: 800 } } of pictures) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await using tab = await openTab(seen.daemon, size);
  await tab.open(path(seen));
  await tab.page.locator(shows).first().waitFor();
  await settled(tab);
  await hideDirectory(tab, seen.directory);
  await tab.page.screenshot({ path: join(root, 'docs/images', `${name}.png`) });
  process.stdout.write(`docs/images/${name}.png\n`);
}
await closeBrowser();

/** Nothing is loading any more. Asked from outside: the policy of the page lets no text be run in it again and again. */
async function settled({ page }: Tab): Promise<void> {
  const isSettled = "!document.querySelector('.loading') && document.fonts.status === 'loaded'";
  const isDone = await poll(async () => (await page.evaluate(isSettled)) === true || undefined, LIMIT_MS);
  if (!isDone) throw new Error('The page is still loading');
}

/** Where this machine keeps the repository says nothing to a reader. */
async function hideDirectory({ page }: Tab, directory: string): Promise<void> {
  await page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      text.nodeValue = text.nodeValue.replaceAll(${JSON.stringify(directory)}, '~');
  })()`);
}
