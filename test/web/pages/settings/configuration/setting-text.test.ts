import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../../../src/contract/config.ts';
import {
  editedText,
  readSetting,
  settingKind,
  settingText,
} from '../../../../../src/web/pages/settings/configuration/setting-text.ts';

const setting = (fields: Partial<Setting>): Setting => ({
  key: 'a.b',
  value: null,
  default: null,
  origin: 'default',
  description: '',
  needsRestart: false,
  isSecret: false,
  ...fields,
});

describe('the text of a setting', () => {
  it.each([
    ['number', { value: null, default: 3 }],
    ['switch', { value: false }],
    ['text', { value: 'a' }],
    ['list', { value: ['a'] }],
    ['list', { value: [] }],
    ['json', { value: [{ a: 1 }] }],
    ['json', { value: {} }],
    ['unknown', {}],
    ['text', { isSecret: true }],
  ] as const)('is edited as %s where the setting is %j', (kind, fields) => {
    expect(settingKind(setting(fields as Partial<Setting>))).toBe(kind);
  });

  it('reads what it wrote', () => {
    const values: Setting['value'][] = [5, true, 'a text', ['a', 'b'], { a: { b: [1] } }, '007'];
    for (const value of values) {
      const kind = settingKind(setting({ value }));
      expect(readSetting(editedText(value, kind), kind)).toEqual(value);
    }
  });

  it('takes an empty field as a setting that is not set, and an empty list as such', () => {
    expect(readSetting('  ', 'number')).toBeNull();
    expect(readSetting('', 'text')).toBeNull();
    expect(readSetting(' \n ', 'list')).toEqual([]);
  });

  it('leaves it to the daemon to refuse what is no JSON', () => {
    expect(readSetting('many', 'number')).toBe('many');
    expect(readSetting('{', 'json')).toBe('{');
    expect(readSetting('main', 'unknown')).toBe('main');
    expect(readSetting('12', 'unknown')).toBe(12);
  });

  it('is shown in words', () => {
    expect([null, '', true, false, [], {}, ['a', 'b'], { a: 1 }, 5].map(settingText)).toEqual([
      'not set',
      'not set',
      'on',
      'off',
      'none',
      'none',
      'a, b',
      '{"a":1}',
      '5',
    ]);
  });
});
