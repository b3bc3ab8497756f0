import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { GitRepository } from '../../helpers/git-repository.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, says, type Script, type ScriptedCall } from '../../helpers/model-server.ts';
import { poll } from '../poll.ts';

/** A daemon after a morning of work, with a repository that its agents worked on. */
export interface LivedInDaemon extends AsyncDisposable {
  daemon: TestDaemon;
  /** The directory that holds the repository. */
  directory: string;
  /** The IDs of what the pictures show. */
  fixed: string;
  conversation: string;
  approval: string;
}

const LIMIT_MS = 30_000;
const read = (path: string): ScriptedCall => ({ name: 'read_file', args: { path } });
const files = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node cart.test.js" } }\n',
  'cart.js':
    'export const total = (prices) => {\n  let sum = 0;\n  for (const price of prices) {\n    sum -= price;\n  }\n  return sum;\n};\n',
  'cart.test.js':
    "import assert from 'node:assert';\nimport { total } from './cart.js';\n\nassert.equal(total([2, 3]), 5);\nconsole.log('1 passed');\n",
  'README.md': '# Shop\n\nA small shop.\n',
};

/** What the model does, by words of what it is asked. */
const work: [words: string, script: Script][] = [
  [
    'total of the cart',
    callsTools(
      [
        [read('cart.test.js'), read('cart.js')],
        [
          {
            name: 'edit_file',
            args: { path: 'cart.js', oldText: '    sum -= price;', newText: '    sum += price;' },
          },
        ],
        [{ name: 'run_command', args: { command: 'node cart.test.js' } }],
      ],
      '`total` **subtracted** each price, so every cart came out negative. It adds them now.\n\n- Changed one line in `cart.js`\n- The test passes: `total([2, 3])` is 5\n',
    ),
  ],
  [
    'linter',
    callsTools([
      [read('package.json')],
      [{ name: 'run_command', args: { command: 'npm install --save-dev oxlint@1.20.0' } }],
    ]),
  ],
  ['changelog', callsTools([[read('README.md')]], 'The changelog has an entry for 1.4.0.')],
  [
    'What does',
    callsTools(
      [[read('cart.js')]],
      '`total(prices)` adds up a list of prices:\n\n```js\ntotal([2, 3]); // 5\n```\n\nAn empty cart has the total 0. Prices are numbers, so pass cents to avoid rounding.',
    ),
  ],
  // Works until the daemon is closed.
  ['Translate', (reply) => reply.piece('I begin with the headings. ')],
];

/** Starts the daemon and has everything happen in it that the pictures show. */
export async function startLivedInDaemon(): Promise<LivedInDaemon> {
  const world = await startModelDaemon({}, (reply, asked) => {
    const said = JSON.stringify(asked.body.messages);
    const script = work.find(([words]) => said.includes(words))?.[1] ?? says('Done.');
    return script(reply, asked);
  });
  const { daemon } = world;
  const { client } = daemon;
  const repository = new GitRepository(files);
  const directory = `${repository.root}-projects`;
  mkdirSync(directory);
  const cwd = join(directory, 'shop');
  renameSync(repository.root, cwd);

  const create = async (body: Parameters<typeof client.tasks.create>[0]['body']) =>
    (await client.tasks.create({ body })).task.id;
  const ended = async (id: string) => {
    for await (const _ of client.tasks.listEventsStream({ params: { id } }));
  };

  const changelog = await create({
    title: 'Write the changelog',
    prompt: 'Write the changelog',
    cwd,
    securityMode: 'full',
  });
  await ended(changelog);
  const count = await create({
    title: 'Count the lines',
    prompt: 'wc -l *.js',
    assignedAgent: 'command',
    cwd,
  });
  await ended(count);
  const nightly = await create({
    title: 'Nightly import',
    prompt: "echo 'Cannot reach the warehouse' >&2; exit 3",
    assignedAgent: 'command',
    maxAttempts: 1,
    cwd,
  });
  await ended(nightly);
  const fixed = await create({
    title: 'Fix the total of the cart',
    prompt: 'The total of the cart is negative. Find out why and fix it.',
    cwd,
    worktree: true,
    verify: ['node cart.test.js'],
    securityMode: 'full',
    labels: ['bug'],
  });
  await ended(fixed);

  const { conversation } = await client.conversations.create({ body: { title: 'The cart', cwd } });
  await client.conversations.sendMessageWithTools({
    params: { id: conversation.id },
    body: { content: 'What does total() in cart.js do?', securityMode: 'sandbox' },
  });
  await create({
    title: 'Translate the README',
    prompt: 'Translate the README to Italian',
    cwd,
    securityMode: 'full',
  });
  const linter = await create({
    title: 'Upgrade the linter',
    prompt: 'Upgrade the linter',
    cwd,
    securityMode: 'ask',
  });
  const approval = await poll(async () => {
    const { approvals } = await client.approvals.list();
    return approvals.find(({ taskId }) => taskId === linter)?.id;
  }, LIMIT_MS);
  if (approval === undefined) throw new Error('Nobody was asked about the linter');
  return {
    daemon,
    directory,
    fixed,
    conversation: conversation.id,
    approval,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
