import type { FastifyInstance } from 'fastify';
import { contract } from '../../contract/index.ts';
import { toOpenApi } from '../../contract/openapi.ts';
import { version } from '../../core/version.ts';

/** The description of the API: for programs, and as a page for people. */
export function registerDocs(server: FastifyInstance): void {
  const document = () => toOpenApi(contract, { version, url: '/' });
  server.get('/api/openapi.json', { config: { access: 'public' } }, () => document());
  server.get('/api/docs', { config: { access: 'public' } }, async (_request, reply) => {
    // Loaded only for those who read it.
    const { renderApiPage } = await import('../api-page.ts');
    return reply.type('text/html; charset=utf-8').send(renderApiPage(document()));
  });
}
