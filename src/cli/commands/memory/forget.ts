import { ApiError } from '../../../contract/client.ts';
import { confirm } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { notIndexed } from './indexed-files.ts';
import { toIndexedPath } from './shown-path.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import { longCall } from '../../connection/long-call.ts';

export interface ForgetOptions {
  all?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** `svc memory forget PATH|CHUNK…`, or everything with --all. */
export async function forgetMemory(cli: Cli, texts: string[], options: ForgetOptions): Promise<void> {
  if (texts.length > 0 === Boolean(options.all))
    throw new CliError(exitCodes.usage, 'Specify files or chunks, or pass --all.', {
      next: 'See them: svc memory files',
    });
  if (options.all) return forgetAll(cli, options);
  const { output } = cli;
  await forEachId(cli, texts, async (text) => {
    const answer = await forgetOne(cli, text);
    if (options.json) return output.json(answer);
    output.line(text);
    output.note(`${answer.message}.`);
  });
}

async function forgetOne(cli: Cli, text: string): Promise<{ message: string }> {
  const { memory } = cli.connect().client;
  const isChunk = isChunkId(text);
  const path = toIndexedPath(cli, text);
  try {
    return await (isChunk
      ? memory.deleteChunk({ params: { id: text } })
      : memory.deleteFile({ params: { path } }));
  } catch (error) {
    throw error instanceof ApiError && error.status === 404
      ? notIndexed(isChunk ? text : path, error)
      : error;
  }
}

/** A file of that name is meant by `./chunk_1`. */
const isChunkId = (text: string) => /^chunk_\d+$/.test(text);

async function forgetAll(cli: Cli, { yes, json }: ForgetOptions): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  if (!yes) {
    const { fileCount } = await client.memory.getStats();
    if (!(await confirm(cli, `Remove all ${fileCount.toLocaleString('en')} files from the index?`)))
      throw new CliError(exitCodes.cancelled, 'Nothing was removed.');
  }
  const answer = await whileWaiting(output, { isShown: !json, text: 'emptying the index' }, () =>
    client.memory.deleteAll({}, longCall),
  );
  if (json) return output.json(answer);
  output.note(`${answer.message}. Rebuild it: svc memory sync`);
}
