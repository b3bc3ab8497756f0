import { contract } from '../../src/contract/index.ts';
import type { Route } from '../../src/contract/route.ts';

/** Every route of the contract with its name, such as `tasks.list`. */
export const allRoutes: { name: string; route: Route }[] = Object.entries(contract).flatMap(
  ([resource, routes]) =>
    Object.entries(routes as Record<string, Route>).map(([name, route]) => ({
      name: `${resource}.${name}`,
      route,
    })),
);

/** The path of a route with something in the place of each parameter. */
export const samplePath = ({ path }: Route, id = 'nothing'): string => path.replace(/:\w+/g, id);

/** What a request to the route has to carry so that its body is read; it never passes a schema that wants something. */
export const sampleBody = ({ body }: Route): { headers: Record<string, string>; body?: string } =>
  body ? { headers: { 'content-type': 'application/json' }, body: '{}' } : { headers: {} };
