import type { FileHandle } from 'node:fs/promises';

/** A file that is about to be replaced. */
export interface FileReplacement {
  /** The real path. */
  path: string;
  /** The file that is there, opened for reading; undefined if there is none. */
  existing: FileHandle | undefined;
  content: Uint8Array;
  /** The type and permissions that the file will have, as `stat` has them. */
  mode: number;
  /** The topmost directory that was created for the file. */
  madeDirectory: string | undefined;
}

/** Keeps files as they are before and after the calls of a run change them. */
export interface FileKeeper {
  /** Resolves once the file is kept durably. Call the result with whether the file was replaced. */
  keepFile(replacement: FileReplacement): Promise<(isReplaced: boolean) => Promise<void>>;
  /** Takes note of the workspace before a command; the result keeps what the command changed. */
  watchCommand(): Promise<() => Promise<void>>;
  /** Notes that a call may have changed files that are not kept. */
  noteUnkept(reason: 'mcp_tools'): Promise<void>;
}

/** The run that changes files. */
export interface KeptRun {
  id: string;
  context: { workspace: string; taskId?: string | undefined; conversationId?: string | undefined };
}

export interface FileKeepers {
  of(run: KeptRun): FileKeeper;
}
