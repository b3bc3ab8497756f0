import { describe, expect, it } from 'vitest';
import { untouched } from '../../../src/core/tasks/task-columns.ts';
import { webhookEventsOf } from '../../../src/core/webhooks/event-payloads.ts';
import { newTask } from '../../helpers/storage.ts';

const payloadOf = (type: 'completed' | 'failed', verified?: boolean) => {
  const result = JSON.stringify({ output: 'I painted it', ...(verified !== undefined && { verified }) });
  const task = { ...untouched, ...newTask('t'), seq: 1, event_seq: 1, result };
  const [event] = webhookEventsOf({ task, events: [{ type, message: type }] }, () => true);
  return event?.payload;
};

describe('the event of a finished task', () => {
  it('says whether commands verified the work', () => {
    expect(payloadOf('completed', true)).toMatchObject({ verified: true });
    expect(payloadOf('completed')).not.toHaveProperty('verified');
  });

  it('has the answer of work that failed its verification as a claim', () => {
    expect(payloadOf('failed', false)).toMatchObject({ verified: false, claimed: 'I painted it' });
    expect(payloadOf('failed')).not.toHaveProperty('claimed');
  });
});
