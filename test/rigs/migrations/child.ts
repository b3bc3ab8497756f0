/**
 * Opens a database, which migrates it, and dies with SIGKILL at the nth of the points that it passes: before each
 * statement, at each step of the copy, and around each change of a file name. With 0 it lives and prints the points.
 */
import { writeSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { replaceMethod } from '../crash/replace-method.ts';
import { isInPlace, pass, points } from './points.ts';

const [file = '', , fault] = process.argv.slice(2);

/** Planted where the rig tests itself. */
const isSkipped = (text: string) =>
  fault === 'no transactions' && /^\s*(begin|commit|rollback)\b/i.test(text);

replaceMethod(DatabaseSync.prototype, 'exec', (exec) => (text) => {
  pass(text);
  if (!isSkipped(text)) exec(text);
});
replaceMethod(StatementSync.prototype, 'all', (all, self) => (...values: never[]) => {
  pass(self.sourceSQL);
  return all(...values);
});
replaceMethod(StatementSync.prototype, 'run', (run, self) => (...values: never[]) => {
  pass(self.sourceSQL);
  return run(...values);
});

// Only the module that makes the copy gets the one with points.
const copying = new URL('copying.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:sqlite' && context.parentURL?.endsWith('/storage/sqlite/upgrade-copy.ts')
      ? next(copying, context)
      : next(specifier, context),
});
const fs = process.getBuiltinModule('node:fs');
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  pass('before the copy is renamed');
  if (!isInPlace) renameSync(from, to);
  pass('after the copy is renamed');
};
syncBuiltinESMExports();

// Loaded only now, so that the points are in what it imports.
const { openSqlite } = await import('../../../src/core/storage/sqlite/open-sqlite.ts');
const database = await openSqlite({
  file,
  synchronous: 'FULL',
  cacheMiB: 2,
  reportBug: (error) => {
    throw error;
  },
});
pass('the end');
await database.close();
writeSync(1, JSON.stringify(points));
