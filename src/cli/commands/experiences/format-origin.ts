import type { Origin } from '../../../contract/experiences.ts';
import type { Paint } from '../../output/output.ts';

const kinds: Record<Origin['kind'], string> = { user: 'a person', task: 'a task', conversation: 'a chat' };

/** Where an experience or a preference comes from: `a task`, `a task, untrusted`. */
export const formatOrigin = ({ kind, trusted, verified }: Origin): string =>
  `${kinds[kind]}${verified ? ', verified' : ''}${trusted ? '' : ', untrusted'}`;

/** The same with the IDs of its task, conversation and user. */
export const formatOriginFully = (origin: Origin): string =>
  [formatOrigin(origin), origin.taskId, origin.conversationId, origin.userId && `of ${origin.userId}`]
    .filter(Boolean)
    .join('  ');

export const paintOrigin = (paint: Paint, text: string, { trusted }: Origin): string =>
  trusted ? text : paint('yellow', text);
