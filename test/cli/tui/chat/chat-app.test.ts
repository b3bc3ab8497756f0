import { describe, expect, it } from 'vitest';
import { keys } from '../rendered.ts';
import { approvalOf, conversationId } from '../scripted-daemon.ts';
import { ChatScreen } from './chat-screen.ts';

const agentic = { isAgentic: true, effort: 'high', maxBudget: 50_000 } as const;

describe('the chat screen', () => {
  it('an empty chat says how to start', async () => {
    await using chat = await ChatScreen.open();
    const shown = await chat.screen.until(/Write a message/);
    expect(shown).toContain('Tools work in /home/ada/project.');
    expect(shown).toMatch(/\/help +all commands and keys/);
    expect(shown).toMatch(/ready +default mode · gpt-test/);
    expect(chat.screen.rows.length).toBeLessThanOrEqual(24);
  });

  it('the status shows the mode of the policy, and the directory on every screen', async () => {
    await using chat = await ChatScreen.open({ prepare: (daemon) => (daemon.mode = 'ask') });
    await chat.screen.until(/ready +ask · gpt-test\n.* ~\/project$/);
    for (const size of [
      { columns: 60, rows: 12 },
      { columns: 160, rows: 40 },
      { columns: 40, rows: 8 },
    ]) {
      chat.screen.resize(size);
      await chat.screen.until(new RegExp(`^─{${size.columns}}$`, 'm'));
      expect(chat.screen.rows.at(-1)).toMatch(/~\/project$/);
    }
  });

  it('says how to configure a provider when there is none', async () => {
    await using chat = await ChatScreen.open({ prepare: (daemon) => (daemon.hasProvider = false) });
    expect(await chat.screen.until(/No model provider/)).toContain('svc providers configure openai');
  });

  it('sends a message and shows the answer as it streams', async () => {
    await using chat = await ChatScreen.open();
    const goOn = Promise.withResolvers<void>();
    chat.daemon.script = async (run) => {
      run.begin();
      run.event({ type: 'thinking:start', data: { step: 1, text: 'I wonder' } });
      run.event({ type: 'thinking:end', data: { step: 1, text: '' } });
      run.call('c', 'read_file', { path: 'queue.ts' });
      run.result('c', 'one\ntwo');
      run.text('It is **first in');
      await goOn.promise;
      run.text(', first out**.\n\n- a\n- b\n');
      run.complete();
    };
    chat.screen.type('How?\r');
    const half = await chat.screen.until(/It is first in/);
    expect(half).toMatch(/› How\?\n\n▸ thought for \d+ ms\n✓ read_file {2}queue\.ts {2}2 lines/);
    expect(half).toMatch(/● writing · step 1 · 0 s/);
    expect(half).toContain('Esc interrupt');
    expect(half).not.toContain('*');
    goOn.resolve();
    expect(await chat.screen.until(/done after/)).toContain('It is first in, first out.\n\n• a\n• b\n');
    expect(chat.screen.screen).toContain('1.2k tokens · default mode · gpt-test');
    expect(chat.bodies(/conversations$/)).toContainEqual({ cwd: '/home/ada/project' });
    expect(chat.bodies(/with-tools$/)).toEqual([{ content: 'How?', maxRoundTrips: 200 }]);
    chat.screen.type(keys.control('t') + keys.control('o'));
    expect(await chat.screen.until(/│ I wonder/)).toContain('│ two');
  });

  it('draws few frames for many events', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = (run) => {
      run.begin();
      for (let at = 0; at < 2000; at++) run.text(`word${at} `);
      run.complete();
    };
    const before = chat.screen.frames;
    chat.screen.type('Go\r');
    expect(await chat.screen.until(/done after/)).toContain('word1999');
    expect(chat.screen.frames - before).toBeLessThan(200);
  });

  it('starts a conversation without a folder when the user may not choose one', async () => {
    await using chat = await ChatScreen.open({ prepare: (daemon) => (daemon.mayChooseFolder = false) });
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    expect(chat.bodies(/POST .*conversations$/)).toEqual([{ cwd: '/home/ada/project' }, {}]);
  });

  it('continues a conversation and recalls its messages with the arrow keys', async () => {
    await using chat = await ChatScreen.open({ conversation: 'conv_0000' });
    expect(await chat.screen.until(/First in, first out\./)).toContain('› How do queues work?');
    chat.screen.type(keys.up);
    await chat.screen.until(/─\n› How do queues work\?/);
    chat.screen.type(' And stacks?\r');
    await chat.screen.until(/done after/);
    expect(chat.daemon.asked).toContainEqual({
      route: `POST /api/chat/conversations/${conversationId}/messages/with-tools`,
      body: { content: 'How do queues work? And stacks?', maxRoundTrips: 200 },
    });
  });

  it('asks about one tool call after the other', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = async (run) => {
      run.begin();
      run.call('a', 'run_command', { command: 'make' });
      run.call('b', 'write_file', { path: 'x' });
      const [first, second] = await Promise.all([
        run.ask('a', approvalOf('one')),
        run.ask('b', approvalOf('two', { toolName: 'write_file' })),
      ]);
      run.result('a', 'Denied by a person', false);
      run.result('b', 'written');
      run.text(`${first} ${second}`);
      run.complete();
    };
    chat.screen.type('Do it\r');
    expect(await chat.screen.until(/Allow run_command\? .* 2 wait/)).toContain('? waiting for you');
    chat.time += 600;
    chat.screen.type('d');
    await chat.screen.until(/Why\?/);
    chat.screen.type('not now\r');
    await chat.screen.until(/Allow write_file\?/);
    expect(chat.bodies(/approvals/)).toEqual([{ decision: 'deny', denialReason: 'not now' }]);
    chat.time += 600;
    chat.screen.type('A');
    expect(await chat.screen.until(/done after/)).toContain('deny allow-always');
    expect(chat.screen.screen).toMatch(/✗ run_command {2}make .*\n {2}Denied by a person\n✓ write_file/);
  });

  it('queues what is sent during an answer, and sends it in order after an interruption', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = async (run) => {
      run.begin();
      run.text(`Answer to ${run.content}`);
      if (run.content === 'Go') await run.stop();
      else run.complete();
    };
    chat.screen.type('Go\r');
    await chat.screen.until(/Answer to Go/);
    for (const text of ['one', 'two', 'three']) chat.screen.type(`${text}\r`);
    expect(await chat.screen.until(/queued +three/)).toMatch(/queued +one +↑ edit\nqueued +two\nqueued/);
    chat.screen.type(keys.up);
    expect(await chat.screen.until(/› three/)).not.toMatch(/queued +three/);
    chat.screen.type(keys.control('u'));
    await chat.screen.until(/Write a reply/);
    chat.screen.type(keys.escape);
    const shown = await chat.screen.until(/Answer to two[^]*done after/);
    expect(shown).toMatch(/Answer to Go\n+· Interrupted\.\n+› one\n+Answer to one\n+› two\n+Answer to two/);
    expect(shown).not.toContain('queued');
    expect(chat.bodies(/with-tools$/).map(({ content }) => content)).toEqual(['Go', 'one', 'two']);
  });

  it('Esc stops an answer that waits for an approval', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = async (run) => {
      run.begin();
      run.call('a', 'run_command', { command: 'make' });
      await Promise.race([run.ask('a', approvalOf('one')), run.stop()]);
    };
    chat.screen.type('Go\r');
    await chat.screen.until(/Allow run_command\?/);
    chat.screen.type(keys.escape);
    expect(await chat.screen.until(/stopped after/)).toContain('· Interrupted.');
    expect(chat.screen.screen).not.toContain('Allow run_command');
    expect(chat.bodies(/\/stop$/)).toHaveLength(1);
  });

  it('keeps the queue after a failed turn until Enter is pressed', async () => {
    await using chat = await ChatScreen.open();
    const goOn = Promise.withResolvers<void>();
    chat.daemon.script = async (run) => {
      run.begin();
      await goOn.promise;
      if (run.content === 'Go')
        run.event({ type: 'error', data: { message: 'The model is busy', code: 'RATE_LIMITED' } });
      else run.complete();
    };
    chat.screen.type('Go\r');
    await chat.screen.until(/waiting for the model/);
    chat.screen.type('next\r');
    await chat.screen.until(/queued +next/);
    goOn.resolve();
    await chat.screen.until(/Queued messages wait/);
    expect(chat.bodies(/with-tools$/)).toHaveLength(1);
    chat.screen.type(keys.enter);
    await chat.screen.until(/› next[^]*done after/);
  });

  it('stops an agentic turn, and waits until it finishes', async () => {
    await using chat = await ChatScreen.open({ settings: agentic, message: 'Work' });
    chat.daemon.script = async (run) => {
      run.begin(true);
      await run.stop();
    };
    await chat.screen.until(/waiting for the model · step 1\/20 .* 0\/100k tokens · agentic high/);
    chat.screen.type(keys.escape);
    expect(await chat.screen.until(/stopped after/)).toContain('· Interrupted.');
    expect(chat.bodies(/\/stop$/)).toHaveLength(1);
    expect(chat.bodies(/agentic$/)).toEqual([{ content: 'Work', effort: 'high', maxBudget: 50_000 }]);
  });

  it('shows the time limit of agentic mode, and how to continue after it', async () => {
    await using chat = await ChatScreen.open({ size: { columns: 170, rows: 24 } });
    chat.screen.type('/agentic\r');
    await chat.screen.until(/for up to 3 minutes per message\.[^]*Longer work is a task: svc run/);
    const message = 'Agentic mode reached its time limit of 3 min; a task has no such limit';
    chat.daemon.script = (run) => {
      run.begin(true);
      run.event({ type: 'error', data: { message, code: 'TIMEOUT' } });
    };
    chat.screen.type('Work\r');
    await chat.screen.until(/CliError: Agentic mode reached its time limit of 3 min/);
  });

  it('shows an error with the next step', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = (run) => {
      run.begin();
      run.event({ type: 'error', data: { message: 'The model is busy', code: 'RATE_LIMITED' } });
    };
    chat.screen.type('Go\r');
    expect(await chat.screen.until(/stopped after/)).toContain('! CliError: The model is busy');
  });

  it('scrolls back, counts the rows below, and follows again at the end', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = (run) => {
      run.begin();
      run.text(Array.from({ length: 60 }, (_, at) => `${at + 1}. row`).join('\n'));
      run.complete();
    };
    chat.screen.type('Go\r');
    await chat.screen.until(/60\. row[^]*done after/);
    chat.screen.type(keys.pageUp);
    expect(await chat.screen.until(/19 more below · PgDn/)).not.toContain('60. row');
    chat.screen.type(keys.pageDown);
    await chat.screen.until(/60\. row/);
  });

  it('the chat fits every screen size', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId });
    for (const size of [
      { columns: 200, rows: 50 },
      { columns: 30, rows: 8 },
    ]) {
      chat.screen.resize(size);
      await chat.screen.until(new RegExp(`^─{${size.columns}}$`, 'm'));
      expect(chat.screen.rows.length).toBeLessThanOrEqual(size.rows);
    }
  });
});
