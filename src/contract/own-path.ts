/** The longest path that a sign-in returns to. */
export const MAX_OWN_PATH = 500;

/** A path of this daemon, never one that a browser could resolve to another site, such as `//host`. */
export const ownPathPattern = /^\/(?![/\\])[^\\\p{Cc}]*$/u;

/** The path where a sign-in continues: the given one if it belongs to this daemon, otherwise the first page. */
export const ownPath = (path: string | null | undefined): string =>
  path && path.length <= MAX_OWN_PATH && ownPathPattern.test(path) ? path : '/';
