import type { Origin } from './experiences.ts';

const kinds: Record<Origin['kind'], string> = { user: 'a person', task: 'a task', conversation: 'a chat' };

/** Where an experience or a preference comes from: `a task`, `a task, untrusted`. */
export const originWords = ({ kind, trusted, verified }: Origin): string =>
  `${kinds[kind] ?? kind}${verified ? ', verified' : ''}${trusted ? '' : ', untrusted'}`;
