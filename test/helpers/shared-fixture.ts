import { existsSync, readFileSync } from 'node:fs';

const folder = new URL('../../../shared/fixtures/', import.meta.url);

/** True where the fixtures lie beside the repository, as they do in continuous integration; elsewhere tests skip, aloud. */
export const hasSharedFixtures: boolean = existsSync(folder);
if (!hasSharedFixtures)
  process.stderr.write(`SKIPPED: there is no ${folder.pathname}, and some tests need what lies there\n`);

/** A JSON file among the fixtures; undefined where there are none. */
export const sharedFixture = <T>(path: string): T | undefined =>
  hasSharedFixtures ? (JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as T) : undefined;

/** The same for any text. */
export const sharedText = (path: string): string | undefined =>
  hasSharedFixtures ? readFileSync(new URL(path, folder), 'utf8') : undefined;
