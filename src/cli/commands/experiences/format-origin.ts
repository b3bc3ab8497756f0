import type { Origin } from '../../../contract/experiences.ts';
import { originWords } from '../../../contract/origin-words.ts';
import type { Paint } from '../../output/output.ts';

/** Where it comes from, with the IDs of its task, conversation and user. */
export const formatOriginFully = (origin: Origin): string =>
  [originWords(origin), origin.taskId, origin.conversationId, origin.userId && `of ${origin.userId}`]
    .filter(Boolean)
    .join('  ');

export const paintOrigin = (paint: Paint, text: string, { trusted }: Origin): string =>
  trusted ? text : paint('yellow', text);
