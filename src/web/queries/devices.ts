import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The paired devices, newest first. */
export const devicesQuery = queryOptions({
  queryKey: ['devices', 'list'],
  queryFn: () => client.devices.list({ query: { limit: 200 } }).then(({ devices }) => devices),
});

/** Who asks with a pairing code; not read any more once it has expired, as a wrong code would count. */
export const pairingQuery = (code: string, expiresAt: string) =>
  queryOptions({
    queryKey: ['devices', 'pairing', code],
    queryFn: () => client.pairing.getByCode({ body: { code } }).then(({ request }) => request),
    enabled: () => Date.now() < Date.parse(expiresAt),
    retry: false,
  });
