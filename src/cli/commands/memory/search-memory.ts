import type { ScoredChunk, SearchResult } from '../../../contract/memory.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { bestLines } from '../../../contract/lines-of-chunk.ts';
import { markLine } from './best-lines.ts';
import { queryWords } from '../../../contract/find-words.ts';
import { noteReason, searchBody, type SearchOptions } from './search-options.ts';
import { pathShower, formatLocation } from './shown-path.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

/** Limits the width of piped output, because lines of a file may be very long. */
const WIDEST = 400;
const NARROWEST = 20;

/** `svc memory search QUERY…`. */
export async function searchMemory(cli: Cli, words: string[], options: SearchOptions): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const answer = await whileWaiting(output, { isShown: !options.json, text: 'searching' }, () =>
    client.memory.search(searchBody(cli, words, options)),
  );
  if (options.json) return output.json(answer);
  if (options.quiet) output.write(answer.chunks.map(({ id }) => `${id}\n`).join(''));
  else printChunks(cli, answer);
  await noteNothing(cli, answer.chunks.length, options);
  if (!options.quiet) noteLimits(cli, answer);
}

function printChunks(cli: Cli, { query, chunks }: SearchResult): void {
  const { output } = cli;
  const { paint } = output;
  const terms = queryWords(query);
  const show = pathShower(cli);
  for (const [at, chunk] of chunks.entries()) {
    const gutter = String(chunk.endLine).length;
    const width = Math.max(NARROWEST, Math.min(output.width, WIDEST) - gutter - 4);
    const lines = [
      headline(paint('cyan', formatLocation(show, chunk)), chunk, paint),
      ...(chunk.heading === undefined ? [] : [`  ${paint('dim', escapeLine(chunk.heading))}`]),
      ...bestLines(chunk, terms).map(({ number, text }) => {
        const marked = markLine(text, terms, { width, mark: (word) => paint(['bold', 'yellow'], word) });
        return `  ${paint('dim', String(number).padStart(gutter))}  ${marked}`;
      }),
    ];
    output.write(`${at === 0 ? '' : '\n'}${lines.join('\n')}\n`);
  }
}

const headline = (location: string, { score, stale }: ScoredChunk, paint: Cli['output']['paint']) =>
  `${location}  ${score.toFixed(2)}${stale ? `  ${paint('yellow', 'changed since')}` : ''}`;

/** Suggests what to do if nothing was found. */
export async function noteNothing(cli: Cli, found: number, options: SearchOptions): Promise<void> {
  if (found > 0) return;
  const { output } = cli;
  const { fileCount, syncing } = await cli.connect().client.memory.getStats();
  const { under, minScore } = options;
  const narrow = [under === undefined ? '' : '--under', minScore ? '--min-score' : ''].filter(Boolean);
  if (syncing) return output.note('Nothing found yet: a sync is in progress. See: svc memory stats');
  if (fileCount === 0)
    return output.note('Nothing is indexed yet. Index a directory: svc memory sync DIRECTORY');
  output.note(
    narrow.length > 0
      ? `Nothing found. Try it without ${narrow.join(' and ')}.`
      : 'Nothing found. Try other words, or see what is indexed: svc memory files',
  );
}

function noteLimits(cli: Cli, { autoSynced, stale, reason }: SearchResult): void {
  const { output } = cli;
  const dim = (text: string) => output.note(output.paintError('dim', text));
  if (autoSynced) dim('Changed files were re-indexed for this search.');
  if (stale) output.note('Files may have changed since they were indexed. Update the index: svc memory sync');
  noteReason(cli, reason);
}
