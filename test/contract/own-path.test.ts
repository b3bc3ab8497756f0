import { expect, it } from 'vitest';
import { ownPath } from '../../src/contract/own-path.ts';

it.each(['/', '/tasks?status=failed&q=a%20b', '/tasks/task_1#line-3', '/a//b'])('keeps %s', (path) => {
  expect(ownPath(path)).toBe(path);
});

it.each([
  undefined,
  '',
  'tasks',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example/',
  'https:evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
  '\n//evil.example',
  '/a\\b',
  `/${'a'.repeat(500)}`,
])('never leads to %j', (path) => {
  expect(ownPath(path)).toBe('/');
});
