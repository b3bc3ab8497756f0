import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryFolder } from '../../../helpers/memory-folder.ts';
import { conversationId, messageOf } from '../scripted-daemon.ts';
import { ChatScreen } from './chat-screen.ts';

describe('commands about the conversation', () => {
  it('/export writes the conversation to a new file, and never over another one', async () => {
    const folder = memoryFolder();
    await using chat = await ChatScreen.open({ folder, conversation: conversationId });
    chat.screen.type('/export\r');
    await chat.screen.until(/Name the file: \/export chat\.md/);
    chat.screen.type('/export chat.md\r');
    await chat.screen.until(/Exported 2 messages to/);
    expect(readFileSync(join(folder, 'chat.md'), 'utf8')).toMatch(
      /^# How queues work\n[^]*## You\n[^]*first out/,
    );
    chat.screen.type('/export chat.md\r');
    await chat.screen.until(/exists already\. Name another file\./);
  });

  it('/cost adds up the tokens of the answers', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    chat.screen.type('/cost\r');
    await chat.screen.until(/No tokens are counted/);
    const usage = { promptTokens: 1000, completionTokens: 20, totalTokens: 1020 };
    chat.daemon.messages = [messageOf('user', 'Hi'), { ...messageOf('assistant', 'So.'), usage }];
    chat.screen.type('/cost\r');
    await chat.screen.until(/Tokens +1,020: 1,000 in, 20 out, 1 answer/);
  });

  it('/compact lets the model sum up the conversation, with what to keep', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    await chat.daemon.followed();
    const goOn = Promise.withResolvers<void>();
    chat.daemon.compact = async () => {
      await goOn.promise;
      const compaction = { tokensBefore: 84_000, tokensAfter: 6000 };
      chat.daemon.publish({ type: 'compaction', data: compaction }, 'run_c');
      return {
        status: 200,
        answer: {
          summary: 'S',
          runId: 'run_c',
          compaction: { ...compaction, originalCount: 9, compactedCount: 1 },
        },
      };
    };
    chat.screen.type('/compact the file names\r');
    await chat.screen.until(/● compacting/);
    chat.screen.type('next\r');
    await chat.screen.until(/queued +next/);
    expect(chat.bodies(/with-tools$/)).toEqual([]);
    goOn.resolve();
    const shown = await chat.screen.until(/Compacted: 84k → 6k tokens\.[^]*done after/);
    expect(shown).toContain('First in, first out.');
    expect(chat.bodies(/compact$/)).toEqual([{ keep: 'the file names' }]);
    expect(chat.bodies(/with-tools$/)).toMatchObject([{ content: 'next' }]);
  });

  it('/compact says why it did nothing, and Esc ends it', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    chat.screen.type('/compact\r');
    await chat.screen.until(/There is nothing to compact/);
    chat.daemon.compact = () => new Promise(() => undefined);
    chat.screen.type('/compact\r');
    await chat.screen.until(/● compacting/);
    chat.screen.type('\u001b');
    expect(await chat.screen.until(/Nothing was compacted/)).not.toContain('● compacting');
  });

  it('/compact waits for the end of an answer', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/compact\r');
    await chat.screen.until(/The conversation has not begun/);
    chat.daemon.script = async (run) => {
      run.begin();
      await run.stop();
    };
    chat.screen.type('Go\r');
    await chat.screen.until(/waiting for the model/);
    chat.screen.type('/compact\r');
    await chat.screen.until(/Still responding\. Press Esc to interrupt it, then compact\./);
    expect(chat.bodies(/compact$/)).toEqual([]);
  });

  it('/copy copies the last answer and says how', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/copy\r');
    await chat.screen.until(/no answer to copy yet/);
    chat.daemon.script = (run) => {
      run.begin();
      run.text('Copy me');
      run.complete();
    };
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    chat.screen.type('/copy\r');
    await chat.screen.until(/Copied the last answer with OSC 52/);
    const sequence = `\u001b]52;c;${Buffer.from('Copy me').toString('base64')}\u0007`;
    expect(chat.screen.written).toContain(sequence);
  });

  it('/init asks the model for an AGENTS.md', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/init\r');
    await chat.screen.until(/done after/);
    expect(chat.bodies(/with-tools$/)[0]?.['content']).toMatch(/^Write an AGENTS\.md for this directory/);
  });

  it.each(['/cost', '/export chat.md'])('%s says that the conversation has not begun', async (command) => {
    await using chat = await ChatScreen.open();
    chat.screen.type(`${command}\r`);
    await chat.screen.until(/The conversation has not begun/);
  });
});
