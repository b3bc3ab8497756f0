import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;
const sources = globSync('src/{core,daemon}/**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(`${root}${path}`, 'utf8'),
}));
const withText = (pattern: RegExp) =>
  sources
    .filter(({ path, text }) => !path.includes('/migrations/') && pattern.test(text))
    .map(({ path }) => path)
    .sort();

/** A second way to a decision would need no signature. */
it('only the store changes approvals and what is always allowed, and only the service decides with it', () => {
  const store = 'src/core/approvals/approval-store.ts';
  expect(
    withText(/updateTable\('approvals'\)|insertInto\('(approvals|allowed_calls|allowed_tools)'\)/),
  ).toEqual([store]);
  expect(withText(/\b(store|approvalStore)\.(allow|allowKind)\(/)).toEqual([
    'src/core/approvals/approval-service.ts',
  ]);
  expect(withText(/\bapprovalStore\.(decide|allow|allowKind)\(/)).toEqual([]);
  expect(withText(/\bnew ApprovalStore\(/)).toEqual(['src/core/approvals/compose-approvals.ts']);
});
