import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { matchPaths, pathAt } from '../../../../src/cli/tui/chat/complete-path.ts';
import { gitBranch } from '../../../../src/cli/tui/chat/git-branch.ts';
import { listFiles } from '../../../../src/cli/tui/chat/list-files.ts';
import { attachMentioned } from '../../../../src/cli/tui/chat/mentions.ts';
import { memoryFolder } from '../../../helpers/memory-folder.ts';
import { keys } from '../rendered.ts';
import { ChatScreen } from './chat-screen.ts';

function project(files: Record<string, string | Buffer>): string {
  const folder = memoryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('attachMentioned', () => {
  const folder = project({
    'a.ts': 'a',
    'my notes.md': 'notes',
    'large.txt': 'x'.repeat(200_000),
    'binary.png': Buffer.from([137, 80, 0, 1]),
    'latin1.txt': Buffer.from([0xe9, 0x20]),
  });

  it('attaches the files that a message mentions, each once', () => {
    const message = 'See @a.ts, (not a@b.c or @nobody) and @"my notes.md". Also @a.ts!';
    expect(attachMentioned(message, folder)).toEqual({
      attachments: [
        { kind: 'file', name: 'a.ts', text: 'a' },
        { kind: 'file', name: 'my notes.md', text: 'notes' },
      ],
    });
  });

  it.each([
    ['large.txt', 'large.txt is 195 KiB; files up to 100 KiB are attached. Write its path without @.'],
    ['binary.png', 'binary.png is not a text file. Write its path without @.'],
    ['latin1.txt', 'latin1.txt is not a text file. Write its path without @.'],
  ])('refuses %s and says why', (name, refusal) => {
    expect(attachMentioned(`look at @${name}`, folder)).toEqual({ refusal });
  });
});

describe('listFiles', () => {
  it('leaves out what .gitignore excludes, in every directory', async () => {
    const folder = project({
      '.gitignore': '*.log\nbuild/\n',
      'a.ts': '',
      'a.log': '',
      'build/x.js': '',
      'node_modules/x/index.js': '',
      'src/.gitignore': '!kept.log\nsecret.ts\n',
      'src/kept.log': '',
      'src/secret.ts': '',
      'src/b.ts': '',
    });
    expect(await listFiles(folder)).toEqual([
      '.gitignore',
      'a.ts',
      'src/',
      'src/.gitignore',
      'src/b.ts',
      'src/kept.log',
    ]);
  });

  it('lists nothing of a directory that is not there', async () => {
    expect(await listFiles('/no/such/directory')).toEqual([]);
  });
});

describe('paths to complete', () => {
  it('finds the path at the cursor', () => {
    expect(pathAt('see @src/a and', 10)).toEqual({ start: 5, path: 'src/a' });
    expect(pathAt('me@home', 7)).toBeUndefined();
    expect(pathAt('see @src/a and', 14)).toBeUndefined();
  });

  it('puts the paths first that start with what was written', () => {
    const paths = ['docs/chat.md', 'src/chat-app.tsx', 'chat/x', 'src/cli/hat.ts'];
    expect(matchPaths(paths, 'chat')).toEqual([
      'chat/x',
      'docs/chat.md',
      'src/chat-app.tsx',
      'src/cli/hat.ts',
    ]);
  });
});

describe('gitBranch', () => {
  it('reads the branch, a detached commit, and a linked worktree', () => {
    const folder = project({
      '.git/HEAD': 'ref: refs/heads/feature/x\n',
      'src/a.ts': '',
      'detached/.git/HEAD': '0123456789abcdef\n',
      'linked/.git': 'gitdir: ../.git/worktrees/linked\n',
      '.git/worktrees/linked/HEAD': 'ref: refs/heads/other\n',
    });
    expect(['src', 'detached', 'linked'].map((name) => gitBranch(join(folder, name)))).toEqual([
      'feature/x',
      '0123456',
      'other',
    ]);
  });
});

describe('files and commands in the chat', () => {
  it('completes a path and sends the file with the message', async () => {
    const folder = project({ 'src/queue.ts': 'export {};\n', 'src/stack.ts': '' });
    await using chat = await ChatScreen.open({ folder });
    chat.screen.type('Explain @que');
    await chat.screen.until(/› src\/queue\.ts/);
    chat.screen.type(keys.tab);
    await chat.screen.until(/› Explain @src\/queue\.ts/);
    chat.screen.type('please\r');
    expect(await chat.screen.until(/done after/)).toMatch(
      /› Explain @src\/queue\.ts please\n {2}\+ @src\/queue\.ts · 1 line\n/,
    );
    expect(chat.bodies(/with-tools$/)).toMatchObject([
      {
        content: 'Explain @src/queue.ts please\n\nAttached file: `src/queue.ts`\n\n```ts\nexport {};\n```',
      },
    ]);
    expect(chat.history.messages).toEqual(['Explain @src/queue.ts please']);
  });

  it('keeps a message that mentions a binary file in the box', async () => {
    await using chat = await ChatScreen.open({ folder: project({ 'a.bin': Buffer.from([0]) }) });
    chat.screen.type('Read @a.bin now\r');
    expect(await chat.screen.until(/a\.bin is not a text file/)).toContain('› Read @a.bin now');
    expect(chat.bodies(/with-tools$/)).toEqual([]);
  });

  it('runs a command of the user and sends its output with the next message', async () => {
    await using chat = await ChatScreen.open({ folder: project({}) });
    chat.screen.type('!echo one; echo two >&2; exit 3\r');
    const shown = await chat.screen.until(/Exit code 3\. Attached/);
    expect(shown).toMatch(/! echo one[^]*one\ntwo/);
    expect(shown).toMatch(/attached ! echo one; echo two >&2; exit 3 +3 lines/);
    chat.screen.type('Why?\r');
    expect(await chat.screen.until(/done after/)).not.toMatch(/^attached/m);
    const [sent] = chat.bodies(/with-tools$/);
    expect(sent?.['content']).toMatch(
      /^Why\?\n\nOutput of the command: `echo one; [^]*```\none\ntwo\n\(exit code 3\)/,
    );
  });

  it('stops a command on Esc, and Backspace removes its output', async () => {
    await using chat = await ChatScreen.open({ folder: project({}) });
    chat.screen.type('!echo begun; sleep 60\r');
    await chat.screen.until(/begun/);
    chat.screen.type(keys.escape);
    await chat.screen.until(/Stopped by SIGTERM\. Attached/);
    chat.screen.type(keys.backspace);
    await chat.screen.until(/─\n› Write/);
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    expect(chat.bodies(/with-tools$/)).toMatchObject([{ content: 'Hi' }]);
  });
});
