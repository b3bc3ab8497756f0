import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebFiles } from '../web-files.ts';

/** The names of these files change with their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>svc</title></head>
<body><h1>svc</h1><p>The pages of this svc are not built. Run <code>npm run build</code> and restart the daemon.
The <a href="/api/docs">API</a> works.</p></body></html>
`;

/** Registers the pages of the web UI at every path that nothing else has. */
export function registerWeb(server: FastifyInstance, directory: string = builtDirectory()): void {
  const files = new WebFiles(directory);
  server.get('/*', { config: { access: 'public' } }, async (request, reply) => {
    const [path = '/'] = request.url.split('?');
    if (files.has(path) && path !== '/index.html') return send(files, path, request, reply);
    // A file that is gone belongs to an older build: the page in its place would fail as a script.
    const isPage = !path.startsWith('/api/') && !path.startsWith('/assets/');
    if (!isPage || !acceptsHtml(request)) return reply.callNotFound();
    if (!files.has('/index.html')) return reply.type('text/html; charset=utf-8').send(notBuilt);
    return send(files, '/index.html', request, reply);
  });
}

/** A browser asks for HTML; a program that sends no preference gets the page at the first address only. */
const acceptsHtml = ({ headers: { accept = '' }, url }: FastifyRequest) =>
  accept.includes('text/html') ||
  ((accept === '' || accept.includes('*/*')) && /^\/(?:sign-in)?(?:\?|$)/.test(url));

async function send(
  files: WebFiles,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { type, body, etag, encoding } = await files.get(path, request.headers['accept-encoding'] ?? '');
  reply.headers({
    'content-type': type,
    'cache-control': path.startsWith('/assets/') ? IMMUTABLE : 'no-cache',
    etag,
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.send(body);
}

/** The sources and the bundle are at different depths below the package. */
function builtDirectory(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('svc has no package.json');
  return join(dirname(file), 'dist/web');
}
