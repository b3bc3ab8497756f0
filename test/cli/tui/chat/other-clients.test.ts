import { describe, expect, it } from 'vitest';
import type { RunEventInput } from '../../../../src/contract/run-events.ts';
import { keys } from '../rendered.ts';
import { approvalOf, conversationId, messageOf } from '../scripted-daemon.ts';
import { ChatScreen } from './chat-screen.ts';

const userMessage = (id: string, content: string): RunEventInput => ({
  type: 'user_message',
  data: { id, content, compactionApplied: false, messageCount: 3 },
});
const text = (delta: string): RunEventInput => ({ type: 'text:delta', data: { step: 1, delta } });
const complete: RunEventInput = {
  type: 'complete',
  data: { model: 'gpt-test', provider: 'openai', toolCalls: 0 },
};
const saved: RunEventInput = { type: 'message_saved', data: { id: 'msg_a' } };

/** A chat that shows a conversation, and events of a turn of another client. */
async function open() {
  const chat = await ChatScreen.open({ conversation: conversationId });
  await chat.screen.until(/first out/);
  await chat.daemon.followed();
  return {
    chat,
    other: (...events: RunEventInput[]) => events.forEach((each) => chat.daemon.publish(each, 'run_other')),
  };
}

describe('a conversation that several clients use', () => {
  it('shows a turn of another client as it streams, with its approvals and its end', async () => {
    const { chat, other } = await open();
    await using _ = chat;
    other(userMessage('msg_q', 'And stacks?'), text('Last in'));
    expect(await chat.screen.until(/● writing/)).toMatch(/› And stacks\?\n+ *Last in/);
    other({ type: 'tool:call', data: { toolCallId: 'c', name: 'run_command', arguments: {} } });
    other({ type: 'approval:requested', data: { toolCallId: 'c', approval: approvalOf('one') } });
    await chat.screen.until(/Allow run_command\?/);
    const approval = { ...approvalOf('one'), status: 'approved' as const };
    other({ type: 'approval:decided', data: { toolCallId: 'c', approval } });
    await chat.screen.until(/running run_command/);
    other(text(', first out.'), complete, saved);
    expect(await chat.screen.until(/done after/)).toContain(', first out.');
  });

  it('Esc stops the turn of another client', async () => {
    const { chat, other } = await open();
    await using _ = chat;
    other(userMessage('msg_q', 'And stacks?'), text('Last'));
    await chat.screen.until(/● writing/);
    chat.screen.type(keys.escape);
    await expect.poll(() => chat.bodies(/\/stop$/)).toHaveLength(1);
    other({ type: 'error', data: { message: 'The turn was stopped', code: 'CANCELLED' } });
    expect(await chat.screen.until(/stopped after/)).toContain('· Interrupted.');
  });

  it('queues a message during a turn of another client, and sends it when that is over', async () => {
    const { chat, other } = await open();
    await using _ = chat;
    other(userMessage('msg_q', 'And stacks?'));
    await chat.screen.until(/waiting for the model/);
    chat.screen.type('Next\r');
    await chat.screen.until(/queued +Next/);
    expect(chat.bodies(/with-tools$/)).toEqual([]);
    other(text('Last in.'), complete, saved);
    await expect.poll(() => chat.bodies(/with-tools$/)).toMatchObject([{ content: 'Next' }]);
  });

  it('shows a turn once that is sent again from its beginning', async () => {
    const { chat, other } = await open();
    await using _ = chat;
    chat.daemon.messages = [...chat.daemon.messages, { ...messageOf('user', 'And stacks?'), id: 'msg_q' }];
    other(userMessage('msg_q', 'And stacks?'), text('Last'));
    await chat.screen.until(/Last/);
    chat.daemon.dropFollowers();
    await chat.screen.until(/Reconnecting…/);
    await chat.daemon.followed();
    other(userMessage('msg_q', 'And stacks?'), text('Last in, first out'));
    const shown = await chat.screen.until(/Last in, first out/);
    expect(shown.match(/And stacks\?/g)).toHaveLength(1);
    expect(shown.match(/Last/g)).toHaveLength(1);
    expect(shown).toContain('First in, first out.');
  });

  it('asks for nothing while nothing happens', async () => {
    const { chat } = await open();
    await using _ = chat;
    await expect.poll(() => chat.bodies(new RegExp(`${conversationId}$`))).toHaveLength(2);
    const before = chat.daemon.asked.length;
    chat.screen.type('a');
    await chat.screen.until(/› a/);
    expect(chat.daemon.asked).toHaveLength(before);
  });

  it('shows its own turn once', async () => {
    const { chat } = await open();
    await using _ = chat;
    chat.daemon.script = (run) => {
      run.begin();
      run.text('Only once');
      chat.daemon.messages = [
        ...chat.daemon.messages,
        messageOf('user', 'Hi'),
        messageOf('assistant', 'Only once'),
      ];
      run.complete();
    };
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    await expect.poll(() => chat.bodies(new RegExp(`${conversationId}$`))).toHaveLength(3);
    chat.screen.type('x');
    expect((await chat.screen.until(/› x/)).match(/Only once/g)).toHaveLength(1);
  });

  it('shows all of it where another client wrote during its own turn', async () => {
    const { chat } = await open();
    await using _ = chat;
    chat.daemon.script = (run) => {
      run.begin();
      run.text('Mine');
      chat.daemon.messages = [
        ...chat.daemon.messages,
        messageOf('user', 'From the other'),
        messageOf('assistant', 'Theirs'),
        messageOf('user', 'Hi'),
        messageOf('assistant', 'Mine'),
      ];
      run.complete();
    };
    chat.screen.type('Hi\r');
    expect(await chat.screen.until(/Theirs[^]*Mine/)).toMatch(/From the other[^]*Theirs[^]*Hi[^]*Mine/);
  });
});

describe('a daemon that restarts', () => {
  it('shows that it reconnects, then the approval that is still open', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = async (run) => {
      run.begin();
      run.text('I look');
      chat.daemon.isAway = true;
      run.cut();
    };
    chat.screen.type('Work\r');
    await chat.screen.until(/Reconnecting…/);
    chat.screen.type('next\r');
    await chat.screen.until(/queued +next/);
    chat.daemon.messages = [messageOf('user', 'Work'), messageOf('assistant', 'I look')];
    chat.daemon.pendingApprovals = [approvalOf('one')];
    chat.daemon.isAway = false;
    const shown = await chat.screen.until(/Allow run_command\?/);
    expect(shown).toContain('› Work');
    expect(shown).toMatch(/queued +next/);
    expect(shown).not.toContain('Reconnecting');
    chat.time += 600;
    chat.screen.type('a');
    await expect.poll(() => chat.bodies(/approvals\/one$/)).toEqual([{ decision: 'allow-once' }]);
  });

  it('shows an answer that was stored although its stream broke', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = (run) => {
      run.begin();
      run.text('Half of');
      run.cut();
    };
    chat.daemon.messages = [messageOf('user', 'Go'), messageOf('assistant', 'All of the answer')];
    chat.screen.type('Go\r');
    expect(await chat.screen.until(/All of the answer/)).not.toContain('Half of');
  });

  it('reads the answer again that ended because the daemon stopped', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = (run) => {
      run.begin();
      run.text('Half of');
      run.event({ type: 'error', data: { message: 'The daemon stopped', code: 'STOPPED' } });
    };
    const half = { ...messageOf('assistant', 'Half of it'), status: 'interrupted' as const };
    chat.daemon.messages = [messageOf('user', 'Go'), half];
    chat.screen.type('Go\r');
    expect(await chat.screen.until(/Half of it\n\n! Interrupted\./)).not.toContain('The daemon stopped');
  });

  it('says when the answer is lost, and how to send the message again', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.script = (run) => run.cut();
    chat.daemon.messages = [messageOf('user', 'Go')];
    chat.screen.type('Go\r');
    await chat.screen.until(/before the answer was complete\. Press ↑ and Enter/);
    chat.screen.type(keys.up);
    await chat.screen.until(/─\n› Go/);
  });

  it('stops to reconnect on Esc', async () => {
    await using chat = await ChatScreen.open();
    chat.daemon.isAway = true;
    chat.screen.type('Go\r');
    await chat.screen.until(/Reconnecting…/);
    chat.screen.type(keys.escape);
    await chat.screen.until(/Not connected/);
    chat.daemon.isAway = false;
    chat.screen.type('Again\r');
    await chat.screen.until(/done after/);
  });
});
