import type { RouteOptions } from 'fastify';

/** Method and path of a route as the contract names them. HEAD counts as GET, because it does the same work. */
export function routeName({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string {
  const [first] = [method].flat();
  return `${first === 'HEAD' ? 'GET' : first} ${url}`;
}
