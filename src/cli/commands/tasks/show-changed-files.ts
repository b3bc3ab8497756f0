import type { FilePatch } from '../../../contract/changes.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { CliError } from '../../errors/cli-error.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { entryRemarks, statLines, whyWithheld } from '../../output/change-lines.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { printPatch } from './show-changes.ts';

interface Options {
  stat?: boolean;
  nameOnly?: boolean;
  json?: boolean;
}

/** `svc tasks diff ID --stat`, `--name-only`, or with a path: none reads more patches than it prints. */
export async function showChangedFiles(
  cli: Cli,
  { id: text, path }: { id: string; path?: string | undefined },
  options: Options,
): Promise<ExitCode> {
  const { output } = cli;
  const { client } = cli.connect();
  if (path !== undefined && (options.stat || options.nameOnly))
    throw new CliError(exitCodes.usage, 'Specify a path, --stat or --name-only, not several of them.');
  const id = await resolveId(text, idsOf(client, 'task'));
  if (path !== undefined) return showFile(cli, id, path, options);
  const changes = await client.tasks.listChangedFiles({ params: { id } });
  if (options.json) output.json(changes);
  else if (options.nameOnly)
    output.write(
      changes.files.map((file) => `${output.isTerminal ? escapeLine(file.path) : file.path}\n`).join(''),
    );
  else if (changes.files.length > 0)
    for (const { text: line, added, removed } of statLines(changes)) {
      const bars = `${output.paint('green', added)}${output.paint('red', removed)}`;
      output.write(`${`${line}${bars}`.trimEnd()}\n`);
    }
  if (options.json) return exitCodes.done;
  if (changes.files.length === 0) output.note('No files are known to have changed.');
  for (const remark of entryRemarks(changes)) output.note(`${output.paintError('yellow', '!')} ${remark}`);
  return exitCodes.done;
}

async function showFile(cli: Cli, id: string, path: string, { json }: Options): Promise<ExitCode> {
  const { output } = cli;
  const { client } = cli.connect();
  // Colors need the hunks from their beginning.
  const isCollected = json === true || output.isTerminal;
  let patch = '';
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const part: FilePatch = await client.tasks.getFilePatch({ params: { id }, query: { path, offset } });
    if (part.patch === undefined && !json) {
      const reason = whyWithheld(part.file) ?? 'no patch';
      output.note(`${output.paintError('yellow', '!')} ${escapeLine(path)} has no patch: ${reason}`);
      return exitCodes.failed;
    }
    if (isCollected) patch += part.patch ?? '';
    else output.write(part.patch ?? '');
    offset = part.nextOffset;
    if (json && offset === undefined)
      output.json({ ...part, ...(part.patch !== undefined && { patch, offset: 0 }) });
  }
  if (isCollected && !json) printPatch(output, patch);
  return exitCodes.done;
}
