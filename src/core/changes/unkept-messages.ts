import type { Unkept, UnkeptReason } from '../../contract/changes.ts';
import type { FileChangeRow } from '../storage/rows/file-changes.ts';

const messages: Record<UnkeptReason, string> = {
  agent: 'Only the built-in agent keeps the files that it changes.',
  no_git: 'What commands changed is not kept: the daemon found no git.',
  home: 'What commands changed is not kept: the directory holds a home directory or the data of svc.',
  too_many_files: 'What commands changed is not kept: the directory has too many files.',
  too_large: 'What commands changed is not kept: the files of the directory are too large together.',
  too_slow: 'What commands changed is not kept: reading the directory took too long.',
  interrupted: 'What a command changed is not kept: it is still running, or the daemon stopped while it ran.',
  failed: 'What a command changed is not kept: the directory could not be compared. See: svc daemon logs',
  mcp_tools: 'What tools of MCP servers changed is not kept.',
};

export const unkept = (reason: UnkeptReason): Unkept => ({ reason, message: messages[reason] });

/** Why changes may be missing, each reason once. */
export function unkeptOf(rows: readonly FileChangeRow[]): Unkept[] {
  const reasons = new Set(rows.map((row) => row.unkept));
  return (Object.keys(messages) as UnkeptReason[]).filter((reason) => reasons.has(reason)).map(unkept);
}
