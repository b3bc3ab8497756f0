import type { FastifyRequest } from 'fastify';
import type { App } from '../core/app.ts';

/** The URL by which whoever asks reaches the daemon, without a slash at the end; the host was checked at the gate. */
export const baseUrlOf = ({ config }: Pick<App, 'config'>, { headers }: FastifyRequest): string =>
  (config.get('server.baseUrl') ?? `http://${headers.host ?? 'localhost'}`).replace(/\/+$/, '');
