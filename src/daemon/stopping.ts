import type { FastifyInstance } from 'fastify';

const NAME = 'stopping';

/** Lets requests that wait for long end once the daemon stops; at the latest when the server closes. */
export function watchStopping(server: FastifyInstance): void {
  server.decorate(NAME, new AbortController());
  server.addHook('preClose', async () => beginStopping(server));
}

/** Ends them now, so that they are answered before their connections close. */
export function beginStopping(server: FastifyInstance): void {
  server.getDecorator<AbortController>(NAME).abort();
}

/** Aborts once the daemon stops. */
export const stoppingSignal = (server: FastifyInstance): AbortSignal =>
  server.getDecorator<AbortController>(NAME).signal;
