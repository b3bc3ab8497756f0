import type { Changes } from '../../../contract/changes.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { changeRemarks, statLines, whyNoPatch } from '../../output/change-lines.ts';
import { type PatchLine, patchLines } from '../../output/patch-lines.ts';
import { escapeText } from '../../output/escape-text.ts';
import type { Output } from '../../output/output.ts';
import type { Cli } from '../../program/cli.ts';

interface Options {
  stat?: boolean;
  json?: boolean;
}

/** `svc tasks diff ID`: a patch that `git apply` takes; on a terminal in colour. Fails if a pipe gets only a part of it. */
export async function showChanges(cli: Cli, text: string, { stat, json }: Options): Promise<ExitCode> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const changes = await client.tasks.getChanges({ params: { id } });
  if (json) {
    output.json(changes);
    return exitCodes.done;
  }
  if (stat) printStatistics(output, changes);
  else printPatches(output, changes);
  if (changes.files.length === 0) output.note('No files are known to have changed.');
  for (const remark of changeRemarks(changes)) output.note(`${output.paintError('yellow', '!')} ${remark}`);
  const isPart = changes.truncated || changes.files.some((file) => whyNoPatch(file) !== undefined);
  return isPart && !stat && !output.isTerminal ? exitCodes.failed : exitCodes.done;
}

function printStatistics(output: Output, changes: Changes): void {
  if (changes.files.length === 0) return;
  for (const { text, added, removed } of statLines(changes)) {
    const bars = `${output.paint('green', added)}${output.paint('red', removed)}`;
    output.write(`${`${text}${bars}`.trimEnd()}\n`);
  }
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
  for (const { patch = '' } of files) {
    if (!output.isTerminal) output.write(patch);
    else
      for (const { text, kind } of patchLines(patch)) {
        const style = styles[kind];
        const line = escapeText(text);
        output.write(`${style ? output.paint(style, line) : line}\n`);
      }
  }
}
