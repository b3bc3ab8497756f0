import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../../client.ts';
import { newKey } from '../../components/idempotency-key.ts';
import { queryClient } from '../../queries/query-client.ts';
import type { CreatedWork } from './created.tsx';
import type { FormRequest } from '../../components/task-fields/read-task.ts';

/**
 * Sends the form. One opened form creates one task, or one schedule: its requests have the same key, so a second click, or
 * another try after an answer that got lost, is answered with the same one.
 */
export function useCreate(onCreated: (created: CreatedWork) => void) {
  const key = useRef<string>(undefined);
  const isSending = useRef(false);
  const mutation = useMutation({
    mutationFn: async (request: FormRequest): Promise<CreatedWork> => {
      const headers = { 'idempotency-key': (key.current ??= newKey()) };
      if ('task' in request) {
        const { task, warnings = [] } = await client.tasks.create({ body: request.task, headers });
        return { taskId: task.id, warnings };
      }
      const { schedule, warnings = [] } = await client.schedules.create({ body: request.schedule, headers });
      return { schedule, warnings };
    },
    onSuccess: (created) => {
      void queryClient.invalidateQueries({ queryKey: 'taskId' in created ? ['tasks'] : ['schedules'] });
      onCreated(created);
    },
    onSettled: () => {
      isSending.current = false;
    },
  });
  return {
    error: mutation.error,
    isPending: mutation.isPending,
    reset: mutation.reset,
    send: (request: FormRequest) => {
      // Two clicks may come before the button is disabled.
      if (isSending.current) return;
      isSending.current = true;
      mutation.mutate(request);
    },
    /** For another task of the same form. */
    renewKey: () => {
      key.current = newKey();
    },
  };
}
