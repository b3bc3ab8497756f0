import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The browsers that receive notifications, and the key of the daemon. */
export const pushQuery = queryOptions({ queryKey: ['push'], queryFn: () => client.push.list() });
