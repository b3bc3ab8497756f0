import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locations } from '../../../contract/locations.ts';

/** The names that svc gives to files and directories of a home. What is called otherwise is not its own. */
const names = [
  /^svc\.db(-wal|-shm|\.before-.+)?$/,
  /^memory\.db(-wal|-shm)?$/,
  /^(settings\.json|identity|owner-session|setup-code|restore\.json|daemon\.json)$/,
  /^daemon\.lock(-journal)?$/,
  /^daemon\.log(\.\d+)?$/,
  /^(archive|workspaces|memory)$/,
  /^before-restore-[\dTZ-]+$/,
  /^\.(restore-[\dTZ-]+|snapshot-tmp_[\w-]+)$/,
  /^contexts\.json$/,
];

export interface OwnFiles {
  /** What a purge deletes. */
  data: string[];
  /** Backups, and what svc did not make. */
  left: string[];
  directories: string[];
}

/** What is in the directories of a home. */
export function findOwnFiles({ config, data, state, runtime }: Locations): OwnFiles {
  const directories = [...new Set([data, config, state, runtime])].filter((path) => existsSync(path));
  const paths = directories.flatMap((directory) =>
    readdirSync(directory).map((name) => ({ path: join(directory, name), name })),
  );
  const isOwn = ({ name }: { name: string }) => names.some((pattern) => pattern.test(name));
  const isDirectory = ({ path }: { path: string }) => directories.includes(path);
  return {
    data: paths.filter(isOwn).map(({ path }) => path),
    left: paths.filter((each) => !isOwn(each) && !isDirectory(each)).map(({ path }) => path),
    directories,
  };
}
