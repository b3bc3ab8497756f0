import type { FastifyInstance } from 'fastify';
import { contract } from '../../contract/index.ts';
import { toOpenApi } from '../../contract/openapi.ts';
import { version } from '../../core/version.ts';

/** Registers the API documentation: the OpenAPI document and a page for people. */
export function registerDocs(server: FastifyInstance): void {
  const document = () => toOpenApi(contract, { version, url: '/' });
  server.get('/api/openapi.json', { config: { access: 'public' } }, () => document());
  server.get('/api/docs', { config: { access: 'public' } }, async (_request, reply) => {
    // Loaded at the first request, which most daemons never get.
    const { renderApiPage } = await import('../api-page.ts');
    return reply.type('text/html; charset=utf-8').send(renderApiPage(document()));
  });
  server.get('/api/docs.css', { config: { access: 'public' } }, async (_request, reply) => {
    const { apiPageStyle } = await import('../api-page.ts');
    return reply.type('text/css; charset=utf-8').send(apiPageStyle);
  });
}
