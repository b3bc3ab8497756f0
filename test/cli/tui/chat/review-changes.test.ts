import { describe, expect, it } from 'vitest';
import { conversationId } from '../scripted-daemon.ts';
import { ChatScreen } from './chat-screen.ts';

const turn = { id: 'run_1', at: '2026-11-21T10:00:00.000Z', message: 'Fix the door' };
const patch = [
  'diff --git a/door.js b/door.js',
  '--- a/door.js',
  '+++ b/door.js',
  '@@ -1,2 +1,2 @@',
  ' open();',
  '--- shut();',
  '+++ lock();',
  '',
].join('\n');

describe('the changes of files in a chat', () => {
  it('/diff shows the patch of the last turn and what has none', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    chat.daemon.changes = {
      directory: '/srv',
      turn,
      files: [
        { path: 'door.js', status: 'modified', isBinary: false, additions: 1, deletions: 1, patch },
        { path: '.env', status: 'added', isBinary: false, withheld: 'secret' },
      ],
      additions: 1,
      deletions: 1,
      truncated: false,
      notKept: [{ reason: 'no_git', message: 'What commands changed is not kept.' }],
    };
    chat.screen.type('/diff\r');
    await chat.screen.until(/What commands changed is not kept\./);
    const shown = chat.screen.screen;
    expect(shown).toMatch(
      /diff --git a\/door\.js b\/door\.js\n@@ -1,2 \+1,2 @@\n open\(\);\n--- shut\(\);\n\+\+\+ lock\(\);/,
    );
    expect(shown).toContain('2 files changed, 1 addition, 1 deletion by "Fix the door". Undo: /undo');
    expect(shown).toContain('.env (added) has no patch: holds credentials');
  });

  it('/diff all shows those of the whole conversation, and nothing else is known', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    chat.screen.type('/diff all\r');
    await chat.screen.until(/No files are known to have changed in this conversation\./);
    chat.screen.type('/diff some\r');
    await chat.screen.until(/There is no "some"\. Use \/diff or \/diff all\./);
  });

  it('/undo says what was restored, and what was not and why', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    chat.screen.type('/undo\r');
    await chat.screen.until(/There is nothing to undo\./);
    chat.daemon.undo = {
      dryRun: false,
      turn,
      restored: [
        { path: 'door.js', action: 'restored' },
        { path: 'new.js', action: 'removed' },
      ],
      notRestored: [{ path: 'mine.js', reason: 'changed_since', message: 'The file has changed since' }],
      notKept: [],
    };
    chat.screen.type('/undo\r');
    await chat.screen.until(/not restored: mine\.js\. The file has changed since\./);
    expect(chat.screen.screen).toMatch(/Undo of "Fix the door":\n\s+restored door\.js\n\s+removed new\.js/);
  });

  it.each(['/diff', '/undo'])('%s says that the conversation has not begun', async (command) => {
    await using chat = await ChatScreen.open();
    chat.screen.type(`${command}\r`);
    await chat.screen.until(/The conversation has not begun\./);
  });

  it('/undo waits for the answer that is being written', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    const finish = Promise.withResolvers<void>();
    chat.daemon.script = async (run) => {
      run.begin();
      run.text('Working');
      await finish.promise;
      run.complete();
    };
    chat.screen.type('Hi\r');
    await chat.screen.until(/Working/);
    chat.screen.type('/undo\r');
    await chat.screen.until(/Still responding\. Press Esc to interrupt it, then undo what it changed\./);
    expect(chat.bodies(/undo$/)).toEqual([]);
    finish.resolve();
    await chat.screen.until(/done after/);
  });
});
