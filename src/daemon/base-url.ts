import type { FastifyRequest } from 'fastify';
import { trimSlashes } from '../contract/trim-slashes.ts';
import type { App } from '../core/app.ts';

/** The URL by which the client reaches the daemon, without a trailing slash; the host gate has checked the host. */
export const baseUrlOf = ({ config }: Pick<App, 'config'>, { headers }: FastifyRequest): string =>
  trimSlashes(config.get('server.baseUrl') ?? `http://${headers.host ?? 'localhost'}`);
