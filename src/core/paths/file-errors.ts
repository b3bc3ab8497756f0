import { PathError } from './path-error.ts';

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const messages: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no ${path}`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a folder`,
  EISDIR: (path) => `${path} is a folder`,
  EACCES: (path) => `The service has no permission to access ${path}`,
  EPERM: (path) => `The operating system does not permit this for ${path}`,
  EROFS: (path) => `${path} is on a read-only file system`,
  ELOOP: (path) => `${path} was replaced by a symbolic link`,
  ENAMETOOLONG: (path) => `The name ${path} is too long`,
  ENOSPC: () => 'The disk is full',
  EDQUOT: () => 'The disk quota is exceeded',
  ENXIO: (path) => `${path} is not a regular file`,
  ENODEV: (path) => `${path} is not a regular file`,
};

/** Turns a file system error into a `PathError` with a message for people and models; returns other errors unchanged. */
export function toPathError(error: unknown, path: string): unknown {
  const format = messages[codeOf(error) ?? ''];
  return format ? new PathError(format(path), { cause: error }) : error;
}

/** Runs the work and rethrows file system errors as `PathError`s that name the path as the caller gave it. */
export async function translateFileErrors<Result>(
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toPathError(error, path);
  }
}
