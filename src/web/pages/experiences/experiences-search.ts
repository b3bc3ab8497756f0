import type { ExperienceType } from '../../../contract/experiences.ts';
import { experienceMeanings } from '../../../contract/experience-meanings.ts';

/** What the page of experiences shows; the search of its URL. */
export interface ExperiencesSearch {
  q?: string;
  type?: ExperienceType;
  tag?: string;
  /** The one whose details are open. */
  open?: string;
  /** Whether one is being recorded. */
  add?: true;
}

/** Reads the search of a URL; what does not fit is left out. */
export function readExperiencesSearch(search: Record<string, unknown>): ExperiencesSearch {
  const { q, type, tag, open, add } = search;
  return {
    ...textOf('q', q),
    ...(typeof type === 'string' &&
      Object.hasOwn(experienceMeanings, type) && { type: type as ExperienceType }),
    ...textOf('tag', tag),
    ...textOf('open', open),
    ...(add === true && { add }),
  };
}

/** A text of digits alone arrives as a number. */
function textOf<K extends string>(key: K, value: unknown): { [key in K]?: string } {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? ({ [key]: text } as { [key in K]: string }) : {};
}
