import type { AnswerPart } from '../resolved-model.ts';

/**
 * What an event of a stream is. `parts` are those that the package of the vendor makes of it; `isBeginning` where they
 * begin or end a run of text or thoughts. A `quiet` event has no part that is shown as it comes.
 * The package reads every event that is `other`, and all that follow it.
 */
export type Found = { parts: AnswerPart[]; isBeginning: boolean } | 'quiet' | 'other';

/** Recognizes the events of one stream that are plain pieces of text or thoughts, by the data of each. */
export interface PlainDeltas {
  find(data: string): Found;
}

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of the data; undefined where it is something else. */
export function parseFields(data: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isFields(value) ? value : undefined;
  } catch {
    // The package reports the error.
    return undefined;
  }
}
