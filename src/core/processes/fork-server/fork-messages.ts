import type { StdioName } from './fork-streams.ts';

/** What the daemon asks for: a program, whose streams connect to the socket and begin with these secrets. */
export interface ForkRequest {
  id: number;
  argv: readonly string[];
  cwd: string;
  env: Record<string, string | undefined>;
  secrets: Record<StdioName, string>;
}

/** What the process that forks says of a program. */
export type ForkReport = { id: number } & (
  | { pid: number }
  | { exit: { code: number | null; signal: NodeJS.Signals | null } }
  | { error: { code: string | undefined; message: string } }
);
