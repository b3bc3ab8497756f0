import type { CallDiff } from '../driver.ts';
import { countOf, type Fields, listOf, objectOf, textOf } from './fields.ts';

/** The texts of the content of a call. */
export const contentTexts = (content: unknown): string[] =>
  listOf(content)
    .filter(({ type }) => type === 'content')
    .map((part) => textOf(objectOf(part['content'])['text']) ?? '')
    .filter((text) => text !== '');

/** The changes of files in the content of a call. */
export const contentDiffs = (content: unknown): CallDiff[] =>
  listOf(content).flatMap(({ type, path, oldText, newText }) =>
    type === 'diff' && typeof path === 'string'
      ? [{ path, oldText: textOf(oldText), newText: textOf(newText) }]
      : [],
  );

/** The whole output that an update reports; undefined where it reports none. */
export function reportedOutput({ rawOutput, content }: Fields): string | undefined {
  if (typeof rawOutput === 'string') return rawOutput;
  const texts = contentTexts(content);
  if (texts.length > 0) return texts.join('');
  const raw = objectOf(rawOutput);
  const results = listOf(objectOf(raw['result'])['content']).map(({ text }) => textOf(text) ?? '');
  return textOf(raw['output']) ?? (results.length > 0 ? results.join('') : textOf(raw['error']));
}

/** The next piece of output of a terminal that the agent keeps itself. */
export const outputDelta = (update: Fields): string =>
  textOf(objectOf(objectOf(update['_meta'])['terminal_output_delta'])['data']) ?? '';

/** The exit code of a command; most agents report none. */
export function reportedExitCode({ rawOutput, _meta }: Fields): number | undefined {
  const raw = objectOf(rawOutput);
  return (
    countOf(objectOf(objectOf(_meta)['terminal_exit'])['exit_code']) ??
    countOf(raw['exit_code']) ??
    countOf(objectOf(raw['metadata'])['exit'])
  );
}
