import { expect, it } from 'vitest';
import { notifyWay } from '../../../src/cli/output/notify-ways.ts';

it('reads how to notify, and takes anything unknown for auto', () => {
  expect(notifyWay({})).toBe('auto');
  expect(notifyWay({ SVC_NOTIFY: 'desktop' })).toBe('desktop');
  for (const odd of ['', 'loud', 'constructor', 'toString'])
    expect(notifyWay({ SVC_NOTIFY: odd })).toBe('auto');
});
