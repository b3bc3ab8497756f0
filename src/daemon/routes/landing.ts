import type { FastifyInstance } from 'fastify';
import { landingPage, landingScript } from '../landing-page.ts';

/** Registers the page at the root, which also handles sign-in links. */
export function registerLanding(server: FastifyInstance): void {
  for (const path of ['/', '/sign-in'])
    server.get(path, { config: { access: 'public' } }, (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(landingPage),
    );
  server.get('/landing.js', { config: { access: 'public' } }, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(landingScript),
  );
}
