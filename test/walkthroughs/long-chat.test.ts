import { beforeAll, describe, expect, it } from 'vitest';
import { callsTools, says } from '../helpers/model-server.ts';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasTmux, type Terminal } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

/** Leaves the chat as people do, by pressing Ctrl+C twice. */
async function leave(terminal: Terminal): Promise<void> {
  // A key that shows proves that it listens: before that, Ctrl+C ends the program as any other.
  terminal.type('x');
  await terminal.until(/› x/);
  terminal.type('BSpace');
  await terminal.until(/› Write a/);
  terminal.type('C-c');
  await terminal.until(/Press Ctrl\+C again/);
  terminal.type('C-c');
}

describe.skipIf(!hasTmux)('a person in a long chat (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('talks to a model that remembers what its tools found, and comes back to it in this directory', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    ada.writesFile('prices.txt', 'apples cost seven');
    const { terminal } = ada;
    ada.types('svc chat');
    await terminal.until(/› Write a message/);
    expect(terminal.screen).toContain('~/shop');
    ada.model.script = callsTools(
      [[{ name: 'read_file', args: { path: 'prices.txt' } }]],
      'They cost seven.',
    );
    ada.types('What do apples cost?');
    await terminal.until(/They cost seven\.[^]*done after/);
    ada.model.script = says('As I said');
    ada.types('And again?');
    await terminal.until(/As I said[^]*done after/);
    expect(JSON.stringify(ada.model.asked.at(-1)?.body.messages)).toContain('apples cost seven');
    await leave(terminal);
    expect((await ada.getsPromptBack()).code).toBe(0);

    ada.types('svc chat -c');
    await terminal.until(/As I said[^]*› Write a reply/);
    await leave(terminal);
    await ada.getsPromptBack();
    const listed = await ada.runs('svc chat ls --here; svc chat export > talk.md; grep -c apples talk.md');
    expect(listed.code).toBe(0);
  });

  it('keeps an open approval over the death of the daemon, and shows the same in two terminals', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    ada.model.script = callsTools(
      [[{ name: 'write_file', args: { path: 'note.txt', content: 'kept' } }]],
      'I wrote it.',
    );
    const { terminal } = ada;
    ada.types('svc chat');
    await terminal.until(/› Write a message/);
    ada.types('Write the note');
    await terminal.until(/Allow write_file\?/);
    const second = ada.opensTerminal('svc chat -c');
    await second.until(/Allow write_file\?/);
    process.kill(ada.daemonPid, 'SIGKILL');
    await terminal.until(/reconnecting|lost|away/i);
    expect((await ada.svc.svc(['daemon', 'start'], { env: ada.environment })).code).toBe(0);
    await terminal.presses('a', /Allow write_file\?/, /I wrote it\./);
    await second.until(/I wrote it\./);
    expect(ada.readsFile('note.txt')).toBe('kept');
  });
});
