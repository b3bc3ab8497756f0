import { expect, it } from 'vitest';
import {
  priorityOfLabels,
  priorityOfName,
  priorityOfRules,
} from '../../../../src/core/integrations/inbound/priority-words.ts';

it.each([
  [['P0'], 1],
  [['p1'], 2],
  [['P2'], 3],
  [['P3'], 4],
  [['critical'], 1],
  [['Urgent'], 1],
  [['blocker'], 1],
  [['🔥 urgent'], 1],
  [[':fire: critical'], 1],
  [['priority: high'], 2],
  [['priority/critical'], 1],
  [['Priority-Low'], 4],
  [['high priority'], 2],
  [['prio:medium'], 3],
  [['severity: major'], 2],
  [['P1 - high'], 2],
  [['priority: 1'], 1],
  [['priority 0'], 1],
  [['priority 4'], 4],
  [['low', 'bug', 'P1', 'medium'], 2],
  [['low-hanging fruit'], undefined],
  [['high contrast'], undefined],
  [['critical path'], undefined],
  [['minor'], undefined],
  [['major'], undefined],
  [['priority'], undefined],
  [['priority: 9'], undefined],
  [['P10'], undefined],
  [['1'], undefined],
  [['bug', ''], undefined],
  [[], undefined],
])('the labels %j mean priority %s', (labels, priority) => expect(priorityOfLabels(labels)).toBe(priority));

it.each([
  ['Highest', 1],
  ['Blocker', 1],
  ['Critical', 1],
  ['High', 2],
  ['Major', 2],
  ['Medium', 3],
  ['Low', 4],
  ['Lowest', 4],
  ['Minor', 4],
  ['Trivial', 4],
  ['Whatever', undefined],
  ['', undefined],
  ['toString', undefined],
  [undefined, undefined],
])('a priority with the name %j means priority %s', (name, priority) =>
  expect(priorityOfName(name)).toBe(priority),
);

it('priority rules match whole labels and words in labels, most urgent first', () => {
  const rules = new Map<string, 1 | 2 | 3 | 4>([
    ['sev-1', 1],
    ['customer', 2],
    ['urgent', 4],
  ]);
  expect(priorityOfRules(rules, ['SEV-1'])).toBe(1);
  expect(priorityOfRules(rules, ['sev-10'])).toBeUndefined();
  expect(priorityOfRules(rules, ['big customer!'])).toBe(2);
  expect(priorityOfRules(rules, ['urgent', 'customers'])).toBe(4);
  expect(priorityOfRules(rules, ['urgent', 'customer'])).toBe(2);
  expect(priorityOfRules(new Map(), ['urgent'])).toBeUndefined();
});
