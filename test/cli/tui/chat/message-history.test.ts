import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isKept, MessageHistory } from '../../../../src/cli/tui/chat/message-history.ts';
import { memoryFolder } from '../../../helpers/memory-folder.ts';
import { keys } from '../rendered.ts';
import { ChatScreen } from './chat-screen.ts';

const fileIn = () => join(memoryFolder(), 'state', 'chat-history.jsonl');

describe('MessageHistory', () => {
  it('keeps messages between chats in a file that only its user can read', () => {
    const file = fileIn();
    const history = new MessageHistory(file);
    for (const message of ['one', 'two\nlines', 'two\nlines']) history.add(message);
    expect(new MessageHistory(file).messages).toEqual(['one', 'two\nlines']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the last 500 once there are more than 1000', () => {
    const file = fileIn();
    const history = new MessageHistory(file);
    for (let at = 0; at <= 1000; at++) history.add(`message ${at}`);
    const { messages } = new MessageHistory(file);
    expect([messages.length, messages[0], messages.at(-1)]).toEqual([500, 'message 501', 'message 1000']);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(501);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    'my key is sk-proj-0123456789abcdefghij',
    'use ghp_0123456789abcdefghijklmnop',
    'password: hunter22',
    'API_KEY=abcdef',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb',
    ' begins with a blank',
    'x'.repeat(10_001),
  ])('does not write %j to the file', (message) => {
    const file = fileIn();
    const history = new MessageHistory(file);
    history.add('Hi');
    history.add(message);
    expect(history.messages.at(-1)).toBe(message);
    expect(new MessageHistory(file).messages).toEqual(['Hi']);
  });

  it('keeps what only speaks of secrets', () => {
    expect(isKept('Where is the password stored? How long is a token?')).toBe(true);
  });

  it('works with a file that is damaged or cannot be written', () => {
    const file = join(memoryFolder(), 'history.jsonl');
    writeFileSync(file, '"one"\n{broken\n3\n"two"\n');
    expect(new MessageHistory(file).messages).toEqual(['one', 'two']);
    const nowhere = new MessageHistory('/dev/null/history.jsonl');
    nowhere.add('Hi');
    expect(nowhere.messages).toEqual(['Hi']);
  });
});

describe('the history of messages in the chat', () => {
  it('recalls messages of earlier chats with ↑ and searches them with Ctrl+R', async () => {
    await using chat = await ChatScreen.open();
    chat.history.messages.push('make the tests faster', 'explain queues', 'explain stacks');
    chat.screen.type(keys.up + keys.up);
    await chat.screen.until(/─\n› explain queues/);
    chat.screen.type(keys.control('u') + keys.control('r'));
    expect(await chat.screen.until(/Search earlier messages/)).toMatch(/› explain stacks\n +explain queues/);
    chat.screen.type('faster');
    await chat.screen.until(/› make the tests faster/);
    chat.screen.type(keys.enter);
    await chat.screen.until(/─\n› make the tests faster/);
  });
});
