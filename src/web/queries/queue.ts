import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export const queueQuery = queryOptions({ queryKey: ['queue'], queryFn: () => client.queue.getStatus() });
