/** A route as people write it, such as `GET /api/tasks/:id`. */
const ROUTE = /\b(GET|POST|PUT|PATCH|DELETE) (\/api\/[\w/:-]+)/g;
/** A row of a table: `| GET | /api/integrations/codehost, /tracker_a | … |`. */
const ROW = /^\| (GET|POST|PUT|PATCH|DELETE) \| ([^|]+?) \|/gm;

/** Every route that a document names, in its tables or in its sentences. */
export function promisedRoutes(markdown: string): string[] {
  const inSentences = [...markdown.matchAll(ROUTE)].map(([route]) => route);
  const inTables = [...markdown.matchAll(ROW)].flatMap(([, method, paths = '']) =>
    wholePaths(paths.split(', ')).map((path) => `${method} ${path}`),
  );
  return [...new Set([...inTables, ...inSentences])];
}

/** `/tracker_a` after `/api/integrations/codehost` is its sibling. */
function wholePaths([first = '', ...others]: string[]): string[] {
  const parent = first.slice(0, first.lastIndexOf('/'));
  return [first, ...others.map((path) => (path.startsWith('/api/') ? path : parent + path))];
}

/** The same route whatever its parameters are called. */
export const anonymous = (route: string): string => route.replace(/:\w+/g, ':x');
