import { PathError } from './path-error.ts';

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const words: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no ${path}`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a folder`,
  EISDIR: (path) => `${path} is a folder`,
  EACCES: (path) => `The service has no permission for ${path}`,
  EPERM: (path) => `The system does not permit this for ${path}`,
  EROFS: (path) => `${path} is on a read-only file system`,
  ELOOP: (path) => `A link stands where ${path} was`,
  ENAMETOOLONG: (path) => `The name ${path} is too long`,
  ENOSPC: () => 'The disk is full',
  EDQUOT: () => 'The disk quota is used up',
  ENXIO: (path) => `${path} is not a regular file`,
  ENODEV: (path) => `${path} is not a regular file`,
};

/** What the model is told when the file system says no; an error that is none of its answers stays as it is. */
export function fileFailure(error: unknown, path: string): unknown {
  const spell = words[codeOf(error) ?? ''];
  return spell ? new PathError(spell(path), { cause: error }) : error;
}

/** Does it, and puts what the file system refuses into words about the path as the model gave it. */
export async function spellFailures<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fileFailure(error, path);
  }
}
