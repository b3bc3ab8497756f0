import { copyFileSync, fstatSync, ftruncateSync, renameSync, rmSync, statSync } from 'node:fs';

const CHECK_EVERY_MS = 10_000;
/** Older files to keep; `daemon.log.1` is the newest. */
const KEPT = 3;

export interface LogFile {
  path: string;
  /** The descriptor that this process writes its log to. */
  descriptor: number;
  maxBytes: number;
}

/**
 * Rotates the log if it is too large, and returns whether it did. The process that started the daemon opened the
 * descriptor, so the file is copied and truncated instead of renamed. No line is lost in between, because the log is
 * written synchronously. Does nothing unless the descriptor is this file.
 */
export function rotateLog({ path, descriptor, maxBytes }: LogFile): boolean {
  const own = fstatSync(descriptor);
  const named = statSync(path, { throwIfNoEntry: false });
  if (!own.isFile() || own.size <= maxBytes || named?.ino !== own.ino || named.dev !== own.dev) return false;
  rmSync(`${path}.${KEPT}`, { force: true });
  for (let n = KEPT - 1; n >= 1; n--)
    if (statSync(`${path}.${n}`, { throwIfNoEntry: false })) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
  copyFileSync(path, `${path}.1`);
  ftruncateSync(descriptor, 0);
  return true;
}

/** Rotates the log of this process when necessary, until stopped; failures are retried and reported once. */
export function keepLogSmall(file: LogFile, onFailure: (error: unknown) => void): () => void {
  let hasFailed = false;
  const timer = setInterval(() => {
    try {
      rotateLog(file);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onFailure(error);
      hasFailed = true;
    }
  }, CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
