import { existsSync, readFileSync } from 'node:fs';

const folder = new URL('../../../shared/fixtures/', import.meta.url);

/**
 * True where the fixtures lie beside the repository. Tests that need them are skipped elsewhere; continuous integration
 * skips nothing.
 */
export const hasSharedFixtures: boolean = existsSync(folder);
if (!hasSharedFixtures && process.env['CI'])
  throw new Error(`These tests need ${folder.pathname}, and CI skips nothing`);

/** A JSON file among the fixtures; undefined where there are none. */
export const sharedFixture = <T>(path: string): T | undefined =>
  hasSharedFixtures ? (JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as T) : undefined;
