import { createRequire } from 'node:module';

/** The file of sqlite-vec; undefined where the package is not installed, or has none for this platform. */
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
