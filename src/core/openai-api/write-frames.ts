import type { AppError } from '../errors.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { AnswerPart } from '../providers/resolved-model.ts';
import type { AnswerParts } from './routed-calls.ts';

/** Makes server-sent events of an answer, as text. */
export interface Frames {
  /** What comes before the first part. */
  begin?(): string;
  /** The events of parts that arrived together; empty where they say nothing. */
  frames(parts: readonly AnswerPart[]): string;
  end(end: AnswerEnd): string;
  /** The events of a failure after the beginning. */
  fail(error: AppError): string;
}

export interface FrameOptions {
  signal: AbortSignal;
  /** The error to show for what was thrown. */
  expect: (error: unknown) => AppError;
}

/** Writes an answer as it comes; a failure ends it with its own event, and a caller who left gets nothing more. */
export async function* writeFrames(
  frames: Frames,
  parts: AnswerParts,
  { signal, expect }: FrameOptions,
): AsyncGenerator<string> {
  try {
    const beginning = frames.begin?.() ?? '';
    if (beginning !== '') yield beginning;
    let next = await parts.next();
    for (; !next.done; next = await parts.next()) {
      const text = frames.frames(next.value);
      if (text !== '') yield text;
    }
    yield frames.end(next.value);
  } catch (error) {
    if (!signal.aborted) yield frames.fail(expect(error));
  } finally {
    await parts.return(undefined as never);
  }
}
