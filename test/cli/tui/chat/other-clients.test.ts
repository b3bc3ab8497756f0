import { describe, expect, it } from 'vitest';
import { keys } from '../rendered.ts';
import { approvalOf, conversationId, messageOf } from '../scripted-daemon.ts';
import { ChatScreen } from './chat-screen.ts';

const lookEveryMs = 20;

describe('a conversation that several clients use', () => {
  it('shows a turn of another client, and asks about its approvals', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId, lookEveryMs });
    await chat.screen.until(/first out/);
    const { daemon } = chat;
    daemon.messages = [...daemon.messages, messageOf('user', 'And stacks?')];
    daemon.updatedAt = '2026-11-21T10:01:00.000Z';
    chat.time = Date.parse('2026-11-21T10:01:00.000Z');
    expect(await chat.screen.until(/● answering/)).toContain('› And stacks?');
    daemon.pendingApprovals = [approvalOf('one')];
    await chat.screen.until(/Allow run_command\?/);
    daemon.pendingApprovals = [];
    await chat.screen.until(/Write a reply/);
    daemon.messages = [...daemon.messages, messageOf('assistant', 'Last in, first out.')];
    expect(await chat.screen.until(/ready/)).toContain('Last in, first out.');
  });

  it('reads the conversation only when it changed', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId, lookEveryMs });
    const asked = (route: string) => chat.daemon.asked.filter((each) => each.route === route).length;
    await expect.poll(() => asked('GET /api/chat/conversations')).toBeGreaterThan(4);
    expect(asked(`GET /api/chat/conversations/${conversationId}`)).toBe(1);
  });

  it('shows its own turn once', async () => {
    await using chat = await ChatScreen.open({ conversation: conversationId, lookEveryMs });
    chat.daemon.script = (run) => {
      run.begin();
      run.text('Only once');
      chat.daemon.messages = [
        ...chat.daemon.messages,
        messageOf('user', 'Hi'),
        messageOf('assistant', 'Only once'),
      ];
      chat.daemon.updatedAt = '2026-11-21T10:02:00.000Z';
      run.complete();
    };
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    const before = chat.daemon.asked.length;
    await expect.poll(() => chat.daemon.asked.length).toBeGreaterThan(before + 4);
    expect(chat.screen.screen.match(/Only once/g)).toHaveLength(1);
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
      run.event({ type: 'error', data: { message: 'The request was cancelled', code: 'WRONG_STATE' } });
    };
    const half = { ...messageOf('assistant', 'Half of it'), status: 'interrupted' as const };
    chat.daemon.messages = [messageOf('user', 'Go'), half];
    chat.screen.type('Go\r');
    expect(await chat.screen.until(/Half of it\n\n! Interrupted\./)).not.toContain('cancelled');
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
