import { describe, expect, it } from 'vitest';
import { completionsOf, parseSlash } from '../../../../src/cli/tui/chat/slash-commands.ts';
import { keys } from '../rendered.ts';
import { approvalOf, conversationId } from '../scripted-daemon.ts';
import { ChatScreen } from './chat-screen.ts';

describe('parseSlash', () => {
  it.each([
    ['/new', { name: 'new', argument: '' }],
    ['/res', { name: 'resume', argument: '' }],
    ['/conversations', { name: 'resume', argument: '' }],
    ['/model a b ', { name: 'model', argument: 'a b' }],
    ['/mo', { unknown: 'mo', meant: undefined }],
    ['/halp', { unknown: 'halp', meant: 'help' }],
    ['/usr/bin is full', undefined],
    ['no', undefined],
  ])('parses the slash command %j', (text, expected) => {
    expect(parseSlash(text)).toEqual(expected);
  });

  it('completes a partial command', () => {
    expect(completionsOf('/mo').map(({ name }) => name)).toEqual(['model', 'mode']);
    expect(completionsOf('/mode').map(({ name }) => name)).toEqual(['mode', 'model']);
    expect(completionsOf('/mode ask')).toEqual([]);
    expect(completionsOf('mode')).toEqual([]);
  });
});

describe('slash commands', () => {
  it('lists, completes and selects slash commands', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/');
    expect(await chat.screen.until(/› \/help/)).toContain('/resume');
    chat.screen.type('mo');
    expect(await chat.screen.until(/› \/model/)).not.toContain('/provider');
    chat.screen.type(keys.down);
    await chat.screen.until(/› \/mode /);
    chat.screen.type(keys.tab);
    await chat.screen.until(/─\n› \/mode\s*\n/);
    chat.screen.type('ask\r');
    await chat.screen.until(/ask · gpt-test/);
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    expect(chat.bodies(/with-tools$/)).toEqual([{ content: 'Hi', securityMode: 'ask', maxRoundTrips: 200 }]);
  });

  it('/model selects one of the available models', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/model\r');
    expect(await chat.screen.until(/Choose a model/)).toMatch(/gpt-small +openai · no tools/);
    chat.screen.type('small');
    await chat.screen.until(/› gpt-small/);
    chat.screen.type(keys.enter);
    await chat.screen.until(/default mode · gpt-small/);
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    expect(chat.bodies(/with-tools$/)).toEqual([
      { content: 'Hi', model: 'gpt-small', provider: 'openai', maxRoundTrips: 200 },
    ]);
  });

  it('slash commands open an earlier conversation and start a new one', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/resume\r');
    await chat.screen.until(/› How queues work +2 messages/);
    chat.screen.type(keys.enter);
    await chat.screen.until(/First in, first out/);
    chat.screen.type('/new\r');
    await chat.screen.until(/Write a message/);
    chat.screen.type('Hi\r');
    await chat.screen.until(/done after/);
    expect(chat.bodies(/POST .*conversations$/)).toHaveLength(1);
    expect(chat.daemon.asked.some(({ route }) => route.endsWith(conversationId))).toBe(true);
  });

  it('/resume says where a conversation of another directory works', async () => {
    await using chat = await ChatScreen.open({ prepare: (daemon) => (daemon.cwd = '/home/ada/other') });
    chat.screen.type('/resume\r');
    await chat.screen.until(/How queues work/);
    chat.screen.type(keys.enter);
    await chat.screen.until(/This conversation works in \/home\/ada\/other\./);
  });

  it('slash commands set the budget, effort and mode of agentic turns', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/budget 100k\r');
    await chat.screen.until(/0\/100k tokens · agentic/);
    chat.screen.type('/effort low\r');
    await chat.screen.until(/agentic low/);
    chat.screen.type('/effort much\r');
    expect(await chat.screen.until(/There is no "much"/)).toContain('low, medium, high, max');
    chat.screen.type('/mode\r');
    await chat.screen.until(/always uses mode full/);
    chat.screen.type('/agentic\r');
    await chat.screen.until(/default mode/);
    chat.screen.type('/budget few\r');
    await chat.screen.until(/at least 1000/);
  });

  it('asks about approvals of other tasks, now or later', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('/approvals\r');
    await chat.screen.until(/No pending approvals/);
    chat.daemon.waiting = [approvalOf('one')];
    chat.screen.type('/approvals\r');
    expect(await chat.screen.until(/Allow run_command\?/)).toContain('Esc later');
    chat.screen.type(keys.escape);
    await chat.screen.until(/Decide pending approvals later: \/approvals/);
    chat.screen.type('/approvals\r');
    await chat.screen.until(/Allow run_command\?/);
    chat.time += 600;
    chat.screen.type('a');
    await chat.screen.until(/Decided\. The answer continues/);
    expect(chat.bodies(/approvals\/one$/)).toEqual([{ decision: 'allow-once' }]);
  });

  it('slash commands show help, clear the screen and suggest the closest command', async () => {
    await using chat = await ChatScreen.open({ size: { columns: 80, rows: 50 } });
    chat.screen.type('/help\r');
    expect(await chat.screen.until(/Ctrl\+C twice +exit/)).toMatch(
      /\/budget \[tokens\] +set the token budget/,
    );
    chat.screen.type('/clear\r');
    await chat.screen.until(/^\s*─{80}$/m);
    expect(chat.screen.screen).not.toContain('Ctrl+C twice');
    chat.screen.type('/quti now\r');
    await chat.screen.until(/There is no \/quti\. Did you mean \/quit\?/);
  });

  it('clears the draft on a first Ctrl+C instead of exiting', async () => {
    await using chat = await ChatScreen.open();
    chat.screen.type('half');
    await chat.screen.until(/› half/);
    chat.screen.type(keys.control('c'));
    await chat.screen.until(/Write a message/);
    chat.screen.type(keys.control('c'));
    await chat.screen.until(/Press Ctrl\+C again to exit/);
  });
});
