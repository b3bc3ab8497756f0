import type { Changes } from '../../../contract/changes.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { changeRemarks, whyNoPatch } from '../../output/change-lines.ts';
import { type PatchLine, patchLines } from '../../output/patch-lines.ts';
import { escapeLine, escapeText } from '../../output/escape-text.ts';
import type { Output } from '../../output/output.ts';
import type { Cli } from '../../program/cli.ts';

/** `svc tasks diff ID`: a patch that `git apply` takes; on a terminal in colour. Fails if a pipe gets only a part of it. */
export async function showChanges(cli: Cli, text: string, { json }: { json?: boolean }): Promise<ExitCode> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const changes = await client.tasks.getChanges({ params: { id } });
  if (json) {
    output.json(changes);
    return exitCodes.done;
  }
  const url = changes.worktree?.pullRequest?.url;
  if (url !== undefined) output.note(output.paintError('dim', `Pull request: ${escapeLine(url)}`));
  if (changes.worktree && !output.isTerminal)
    // Byte for byte, also of binary files.
    for await (const piece of client.tasks.getPatch({ params: { id } })) await output.bytes(piece);
  else printPatches(output, changes);
  if (changes.files.length === 0) output.note('No files are known to have changed.');
  const isWhole = changes.worktree !== undefined && !output.isTerminal;
  // The patch has binary and large files too.
  const missing = changes.files.filter(({ withheld }) => withheld === 'secret');
  const remarks = isWhole ? { ...changes, files: missing, truncated: false } : changes;
  for (const remark of changeRemarks(remarks)) output.note(`${output.paintError('yellow', '!')} ${remark}`);
  const isPart = remarks.truncated || remarks.files.some((file) => whyNoPatch(file) !== undefined);
  return isPart && !output.isTerminal ? exitCodes.failed : exitCodes.done;
}

const styles: Record<PatchLine['kind'], Parameters<Output['paint']>[0] | undefined> = {
  file: 'bold',
  header: 'bold',
  hunk: 'cyan',
  added: 'green',
  removed: 'red',
  context: undefined,
};

function printPatches(output: Output, { files }: Changes): void {
  for (const { patch = '' } of files) printPatch(output, patch);
}

/** Prints a patch as it is to a pipe, and in color and harmless on a terminal. */
export function printPatch(output: Output, patch: string): void {
  if (!output.isTerminal) return output.write(patch);
  for (const { text, kind } of patchLines(patch)) {
    const style = styles[kind];
    const line = escapeText(text);
    output.write(`${style ? output.paint(style, line) : line}\n`);
  }
}
