import { lstat } from 'node:fs/promises';

/** What is at each path, without following links: equal while it is the same file or directory; undefined for nothing. */
export async function pathIdentities(paths: readonly string[]): Promise<Map<string, string | undefined>> {
  const identities = await Promise.all(
    paths.map(async (path) => {
      const found = await lstat(path, { bigint: true }).catch(() => undefined);
      return [path, found && `${found.dev}:${found.ino}`] as const;
    }),
  );
  return new Map(identities);
}
