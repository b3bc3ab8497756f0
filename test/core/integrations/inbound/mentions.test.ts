import { describe, expect, it } from 'vitest';
import { commandOf, jiraMentionOf, mentionOf } from '../../../../src/core/integrations/inbound/mentions.ts';
import { withoutWikiQuotes } from '../../../../src/core/integrations/inbound/quotes.ts';

describe('mentions in a comment', () => {
  const ask = (body: string) => commandOf(body, mentionOf('agent'));

  it.each([
    ['@agent please fix this', 'please fix this'],
    ['@AGENT: fix it.', 'fix it.'],
    ['Please, @agent, fix this', 'fix this'],
    ['(cc @agent) look', ') look'],
    ['@agent\n- one\n- two', '- one\n- two'],
    ['Can you fix this, @agent?', 'Can you fix this'],
    ['Fix this @agent.', 'Fix this'],
    ['@agent', ''],
    ['@agent!', ''],
    ['你好@agent请修复', '请修复'],
    ['@agent-x @agent go', 'go'],
    ['> @agent no\n\n@agent yes', 'yes'],
    ['`a` @agent `b`', '`b`'],
    ['a lone ` and @agent do it', 'do it'],
    ['`` a ` b `` @agent do it', 'do it'],
    ['```\ncode\n```\n@agent do it', 'do it'],
    ['@agent see\n```js\nfoo()\n```', 'see\n```js\nfoo()\n```'],
    ['@agent[bot] do it', 'do it'],
    ['line one\u2028@agent do it', 'do it'],
    ['/ai fix this', 'fix this'],
    ['/ai\nfix this', 'fix this'],
    ['/ai', ''],
    ['/ai tell @agent to stop', 'tell @agent to stop'],
  ])('finds the request in the comment %j', (body, prompt) => expect(ask(body)).toBe(prompt));

  it.each([
    '',
    'agent please',
    '@agent-x please',
    '@agentx please',
    '@agent_x please',
    'foo@agent.com',
    'foo@agent',
    '@agent.com',
    '@agent/team please',
    '@@agent',
    '/@agent',
    'https://example.com/@agent',
    '@my-agent please',
    '`@agent` please',
    '``a ` @agent`` please',
    '```\n@agent\n```',
    '~~~\n@agent\n~~~',
    '````\n```\n@agent\n````',
    '```\nnever closed @agent',
    '> @agent please',
    '  > @agent please',
    '/aid',
    '/ai-task',
    ' /ai fix',
    'say /ai fix',
    '> /ai fix',
  ])('finds no request in the comment %j', (body) => expect(ask(body)).toBeUndefined());

  it('finds only commands when no account is configured', () => {
    expect(commandOf('/ai fix', undefined)).toBe('fix');
    expect(commandOf('@agent fix', undefined)).toBeUndefined();
  });

  it('finds mentions of a name with special characters', () => {
    expect(commandOf('@Mor Paz fix', mentionOf('Mor Paz'))).toBe('fix');
    expect(commandOf('@a.c fix', mentionOf('a.c'))).toBe('fix');
    expect(commandOf('@abc fix', mentionOf('a.c'))).toBeUndefined();
    expect(commandOf('@helper fix', mentionOf('helper[bot]'))).toBe('fix');
    expect(commandOf('@a(b fix', mentionOf('a(b'))).toBe('fix');
  });
});

describe('mentions in the markup of Jira', () => {
  const ask = (body: string) => commandOf(body, jiraMentionOf('5c:1-a'), withoutWikiQuotes);

  it.each([
    ['[~accountid:5c:1-a] fix this', 'fix this'],
    ['[~5C:1-A] fix this', 'fix this'],
    ['Fix this, [~accountid:5c:1-a]', 'Fix this'],
    ['{code}x{code} [~5c:1-a] do', 'do'],
    ['{code:java}\nx\n{code}\n[~5c:1-a] do', 'do'],
    ['{quote}[~5c:1-a] no{quote} [~5c:1-a] yes', 'yes'],
    ['{code} is never closed [~5c:1-a] do', 'do'],
  ])('finds the request in the Jira comment %j', (body, prompt) => expect(ask(body)).toBe(prompt));

  it.each([
    '[~accountid:5c:1-ab] fix',
    '[~accountid:5c:1] fix',
    '@5c:1-a fix',
    '[5c:1-a] fix',
    '{code}[~5c:1-a]{code}',
    '{code:title=a.txt|borderStyle=solid}[~5c:1-a]{code}',
    '{noformat}{code}[~5c:1-a]{noformat}',
    '{quote}[~5c:1-a]{quote}',
    'bq. [~5c:1-a] fix',
    '{{[~5c:1-a]}} fix',
  ])('finds no request in the Jira comment %j', (body) => expect(ask(body)).toBeUndefined());
});

it('finds mentions of a Jira account id with special characters', () => {
  expect(commandOf('[~a.c] fix', jiraMentionOf('a.c'))).toBe('fix');
  expect(commandOf('[~abc] fix', jiraMentionOf('a.c'))).toBeUndefined();
});

it('parses a hostile comment of a megabyte quickly', () => {
  const slow = [
    '`'.repeat(500_000) + ' `` ' + '`'.repeat(400_000),
    Array.from({ length: 1400 }, (_, index) => '`'.repeat(index + 1)).join(' '),
    '{code:a}'.repeat(130_000),
    '{{'.repeat(500_000),
    ' '.repeat(1_000_000) + '@',
    '@agent' + ','.repeat(1_000_000),
    '@agent '.repeat(140_000),
    '\n>'.repeat(500_000),
  ];
  for (const body of slow) {
    commandOf(body, mentionOf('agentx'));
    commandOf(body, mentionOf('agent'));
    commandOf(body, jiraMentionOf('agent'), withoutWikiQuotes);
  }
});
