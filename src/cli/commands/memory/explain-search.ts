import type { ChunkExplanation } from '../../../contract/memory.ts';
import type { Cli } from '../../program/cli.ts';
import { formatFacts } from '../../output/facts.ts';
import { noteNothing } from './search-memory.ts';
import { methodMeanings } from '../../../contract/search-method-words.ts';
import { noteReason, searchBody, type SearchOptions } from './search-options.ts';
import { pathShower, formatLocation } from './shown-path.ts';

/** `svc memory why QUERY…`: how the score of each result came about. */
export async function explainSearch(cli: Cli, words: string[], options: SearchOptions): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.memory.explainSearch(searchBody(cli, words, options));
  if (options.json) return output.json(answer);
  const { method, formula, leftOut, results, reason } = answer;
  output.write(
    formatFacts(
      [
        ['Method', methodMeanings[method]],
        ['Words', answer.words.join(', ') || 'none'],
        ['Ignored', leftOut.join(', ')],
        ['Score', formula],
      ],
      output.paint,
    ),
  );
  const show = pathShower(cli);
  for (const [at, result] of results.entries()) {
    const { chunk } = result;
    const location = output.paint('cyan', formatLocation(show, chunk));
    output.write(`\n${at + 1}  ${location}  ${chunk.score.toFixed(4)}\n`);
    output.write(formatFacts(reasonsOf(result), output.paint, '   '));
  }
  await noteNothing(cli, results.length, options);
  noteReason(cli, reason);
}

const reasonsOf = ({ keyword, vector }: ChunkExplanation): [string, string | undefined][] => [
  ['keywords', keyword && `rank ${keyword.rank}, ${keyword.points.toFixed(2)} points`],
  ...(keyword?.words ?? []).map(({ word, points }): [string, string] => [`  ${word}`, points.toFixed(2)]),
  ['meaning', vector && `rank ${vector.rank}, similarity ${vector.similarity.toFixed(3)}`],
];
