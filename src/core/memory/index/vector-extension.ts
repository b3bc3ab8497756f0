import { createRequire } from 'node:module';

/** The path of the sqlite-vec extension; undefined when it is missing or not available for this platform. */
export function findVectorExtension(): string | undefined {
  try {
    const { getLoadablePath } = createRequire(import.meta.url)('sqlite-vec') as {
      getLoadablePath: () => string;
    };
    return getLoadablePath();
  } catch {
    return undefined;
  }
}
