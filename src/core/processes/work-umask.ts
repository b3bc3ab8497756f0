/** The one of most systems, for a process that never asked for private files of its own. */
let umask = 0o022;

/** Makes the files of this process private; what agents and tools write keeps the umask that the process was started with. */
export function keepOwnFilesPrivate(): void {
  umask = process.umask(0o077);
}

/** The permission bits that files of agents and tools do not get. */
export const workUmask = (): number => umask;
