import { client } from '../../client.ts';

export type DeadLetterAction = 'retry' | 'resolve' | 'discard';

/** What can be done with dead letters: what it is called, and what it does. */
export const deadLetterActions: Record<
  DeadLetterAction,
  { verb: string; done: string; means: string; run: (id: string, note: string) => Promise<unknown> }
> = {
  retry: {
    verb: 'Retry',
    done: 'queued again',
    means: 'Each task runs again with all its attempts.',
    run: (id) => client.dlq.retry({ params: { id } }),
  },
  resolve: {
    verb: 'Resolve',
    done: 'resolved',
    means: 'You took care of them in another way. They are kept under Resolved.',
    run: (id, note) => client.dlq.resolve({ params: { id }, body: note === '' ? {} : { note } }),
  },
  discard: {
    verb: 'Discard',
    done: 'discarded',
    means: 'Nothing more is done about them. They are kept under Discarded.',
    run: (id) => client.dlq.discard({ params: { id } }),
  },
};
