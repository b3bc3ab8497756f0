import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser, inspect, openTab, pressEnter, untilFocused } from '../helpers/browser.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelReply, type ModelServer, says } from '../helpers/model-server.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const hostile = `<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m ${'wide'.repeat(2000)}`;

describe.skipIf(!hasBrowser)('the chat (needs Chromium)', () => {
  let daemon: TestDaemon;
  let model: ModelServer;
  beforeAll(async () => {
    ({ daemon, model } = await startModelDaemon());
  });
  afterAll(async () => {
    await closeBrowser();
    await daemon[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  const box = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const say = async (page: Page, text: string) => {
    await box(page).fill(text);
    await box(page).press('Enter');
  };
  /** A model that answers piece by piece, when the test says so. */
  function held() {
    const begun = Promise.withResolvers<ModelReply>();
    model.script = (reply, { body }) => {
      if (!body.stream) return reply.whole('A title');
      begun.resolve(reply);
    };
    return begun.promise;
  }
  /** Waits until the messages are stored like this: an answer is shown while it is written. */
  const untilStates = async (page: Page, states: string[]) => {
    const id = page.url().split('/').at(-1) ?? '';
    await until(async () => {
      const { messages } = await daemon.client.conversations.get({ params: { id } });
      expect(messages.map(({ role, status }) => status ?? role)).toEqual(states);
    });
  };

  it('begins a conversation with the first message, and streams the answer', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    await page.getByText('Your conversations are listed here.').waitFor();
    expect(await inspect(tab, 'chat-empty')).toEqual([]);
    const answer = held();
    await box(page).pressSequentially('Two lines');
    await box(page).press('Shift+Enter');
    await box(page).pressSequentially('of text');
    await box(page).press('Enter');
    await page.waitForURL('**/chat/conv_*');
    const reply = await answer;
    reply.piece('The first half');
    await page.getByText('The first half', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Writing').waitFor();
    reply.piece(
      ` and the second ${hostile}\n\n# A heading\n\n- one **bold** step ❤️\n\n\`\`\`js\nlet a = 1;\n\`\`\``,
    );
    reply.end();
    await page.getByText('The first half and the second <img src=x').waitFor();
    await until(async () => expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0));
    const text = await page.locator('main').innerText();
    expect(text).toContain('Two lines\nof text');
    expect(text).toContain(String.raw`\u{202e}evil`);
    expect(text).toContain('one bold step ❤️');
    await page.getByRole('link', { name: /^Two lines/ }).waitFor();
    expect(await inspect(tab, 'chat-answer')).toEqual([]);
    await page.reload();
    await page.getByText('The first half and the second').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('asks above the box before a tool runs, and a decision by keys runs it', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    model.script = callsTools(
      [[{ name: 'write_file', args: { path: 'a.md', content: hostile } }]],
      'It is written.',
    );
    await page.getByLabel('Security mode').selectOption('ask');
    await say(page, 'Write a.md');
    const card = page.getByRole('article', { name: 'Allow write_file?' });
    await card.waitFor();
    expect(await inspect(tab, 'chat-approval')).toEqual([]);
    // It is still there after a reload.
    await page.reload();
    await card.waitFor();
    await card.focus();
    await page.keyboard.press('a');
    await untilFocused(page, 'textContent', 'Allow once');
    // The first moment after the buttons appeared does not count.
    await until(async () => {
      await page.keyboard.press('Enter');
      expect(await card.count()).toBe(0);
    });
    await page.getByText('It is written.').waitFor();
    await page.getByText('write_file').first().click();
    await page.getByText('Result', { exact: true }).waitFor();
    expect(await inspect(tab, 'chat-tool')).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('sends what was written meanwhile after the answer, and Esc stops', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    const first = held();
    await say(page, 'One');
    (await first).piece('Answer one');
    await page.getByText('Answer one').waitFor();
    await say(page, 'Two');
    await page.getByText('Queued').waitFor();
    const second = held();
    (await first).end();
    (await second).piece('Answer two');
    await page.getByText('Answer two').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Stopped.').waitFor();
    await untilStates(page, ['user', 'completed', 'user', 'interrupted']);
    expect(tab.problems).toEqual([]);
  });

  it('continues while its page is reloaded, and in another tab', async () => {
    await using tab = await openTab(daemon);
    await using other = await openTab(daemon);
    await tab.open('/chat');
    const answer = held();
    await say(tab.page, 'A long one');
    await tab.page.waitForURL('**/chat/conv_*');
    const reply = await answer;
    reply.piece('Begun');
    await tab.page.getByText('Begun', { exact: true }).waitFor();
    await tab.page.reload();
    await tab.page.getByText('Begun', { exact: true }).waitFor();
    await other.open(new URL(tab.page.url()).pathname);
    await other.page.getByText('Begun', { exact: true }).waitFor();
    reply.piece(', and ended');
    reply.end();
    for (const { page } of [tab, other]) {
      await page.getByText('Begun, and ended').waitFor();
      await until(async () => expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0));
    }
    expect([...tab.problems, ...other.problems]).toEqual([]);
  });

  it('shows a failure with what to do next, and keeps what was queued until it is sent', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    const first = held();
    await say(page, 'Fail');
    const reply = await first;
    reply.thought('Let me think');
    await page.getByText('Thinking…', { exact: true }).first().click();
    await page.getByText('Let me think').waitFor();
    await say(page, 'Later');
    reply.cut();
    await page.getByText('Try again in a moment.').waitFor();
    expect(await inspect(tab, 'chat-failure')).toEqual([]);
    await page.getByText('Queued').waitFor();
    model.script = says('Here again');
    await page.getByRole('button', { name: 'Send', exact: true }).first().click();
    await page.getByText('Here again').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('attaches text files, and keeps what was begun over a reload', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    await box(page).fill('What is in this file?');
    const files = [
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from(`# Notes\n${hostile}\n`) },
      { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0, 0xff]) },
    ];
    const chooser = page.waitForEvent('filechooser');
    await pressEnter(page.getByRole('button', { name: 'Attach text files' }));
    await (await chooser).setFiles(files);
    await page.getByRole('alert').getByText('photo.png is not a text file.').waitFor();
    await page.getByRole('list', { name: 'Attached files' }).getByText('notes.md').waitFor();
    expect(await inspect(tab, 'chat-attached')).toEqual([]);
    const answer = held();
    await box(page).press('Enter');
    await page.waitForURL('**/chat/conv_*');
    const reply = await answer;
    const asked = model.asked.findLast(({ body }) => body.stream);
    expect(JSON.stringify(asked?.body.messages)).toContain('# Notes');
    await page.locator('summary').getByText('notes.md').click();
    await page.getByRole('group', { name: 'notes.md' }).getByText('# Notes').waitFor();
    await say(page, 'This one waits');
    await box(page).fill('Not sent yet');
    await page.reload();
    await page.getByText('This one waits').waitFor();
    await until(async () => expect(await box(page).inputValue()).toBe('Not sent yet'));
    // Before the answer ends, after which it is sent.
    await page.getByRole('button', { name: 'Remove' }).click();
    reply.end();
    expect(tab.problems).toEqual([]);
  });

  it('undoes what a turn changed in files', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    await page.getByLabel('Security mode').selectOption('full');
    model.script = callsTools([[{ name: 'write_file', args: { path: 'b.md', content: 'one\n' } }]]);
    await say(page, 'Write b.md');
    await page.getByText('1 file changed by “Write b.md”').waitFor();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    expect(await inspect(tab, 'chat-undo')).toEqual([]);
    await pressEnter(page.getByRole('dialog').getByRole('button', { name: 'Undo changes' }));
    await page.getByText('Removed: b.md').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('works autonomously as a task, and says which', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    await page.getByLabel('Mode', { exact: true }).selectOption('agentic');
    const answer = held();
    await say(page, 'Do it all');
    const reply = await answer;
    await page.getByRole('link', { name: 'View task' }).waitFor();
    reply.piece('All of it');
    reply.end();
    await page.getByText('All of it').waitFor();
    await until(async () => expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0));
    expect(tab.problems).toEqual([]);
  });

  it('deletes a conversation unless that is undone, and has keys for the list', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    const { conversation } = await daemon.client.conversations.create({ body: { title: 'To delete' } });
    await tab.open(`/chat/${conversation.id}`);
    const row = page.getByRole('link', { name: /^To delete/ });
    await row.waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.focus();
    await row.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${conversation.id}`);
    await page.getByRole('heading', { name: 'To delete' }).focus();
    await page.keyboard.press('n');
    await page.waitForURL('**/chat');
    await untilFocused(page, 'id', 'message');
    await row.click();
    await page.getByRole('button', { name: 'Delete' }).click();
    // Leaving the page does what was not undone.
    await page.goto('about:blank');
    await until(async () => {
      const { conversations } = await daemon.client.conversations.list();
      expect(conversations.map(({ title }) => title)).not.toContain('To delete');
    });
  });

  it('shows nothing of other people', async () => {
    model.script = says('Only for the owner');
    const { conversation } = await daemon.client.conversations.create({ body: { title: 'A secret' } });
    await daemon.client.conversations.sendMessage({
      params: { id: conversation.id },
      body: { content: 'Hi' },
    });
    const ann = await addUser(daemon, 'ann');
    await using tab = await openTab(daemon, { user: ann });
    await tab.open(`/chat/${conversation.id}`);
    await tab.page.getByRole('alert').waitFor();
    await tab.page.getByText('Your conversations are listed here.').waitFor();
    expect(await inspect(tab, 'chat-not-found')).toEqual([]);
    expect(await tab.page.getByText('A secret').count()).toBe(0);
    expect(await tab.page.getByText('Only for the owner').count()).toBe(0);
  });

  it('stays fast with a long conversation', async () => {
    const { conversation } = await daemon.client.conversations.create({ body: { title: 'Long' } });
    const params = { id: conversation.id };
    model.script = says('An answer');
    for (let at = 0; at < 130; at++)
      await daemon.client.conversations.sendMessage({ params, body: { content: `Message ${at}` } });
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open(`/chat/${conversation.id}`);
    await page.getByText(/Message 129$/).waitFor();
    expect(await page.getByText(/Message 29$/).count()).toBe(0);
    await until(async () =>
      expect(
        await page.evaluate('document.documentElement.scrollHeight - scrollY - innerHeight'),
      ).toBeLessThan(80),
    );
    await pressEnter(page.getByRole('button', { name: 'Show earlier messages (30)' }));
    await page.getByText(/Message 0$/).waitFor({ state: 'attached' });
    expect(tab.problems).toEqual([]);
  });

  it('is complete again after a restart of the daemon', async () => {
    await using tab = await openTab(daemon);
    const { page } = tab;
    await tab.open('/chat');
    const answer = held();
    await say(page, 'Before');
    (await answer).piece('As far as it got');
    await page.getByText('As far as it got').waitFor();
    const { url, home } = daemon;
    await daemon.stop();
    await page.getByText('Reconnecting…').first().waitFor();
    model.script = says('After the restart');
    daemon = await startDaemon({ home, flags: { 'server.port': Number(new URL(url).port) } });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('As far as it got').waitFor();
    await page.getByText('Send “continue” to resume.').waitFor();
    await say(page, 'continue');
    await page.getByText('After the restart').waitFor();
    await untilStates(page, ['user', 'interrupted', 'user', 'completed']);
  });
});
