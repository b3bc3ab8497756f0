import { z } from 'zod';
import { errorBodySchema } from './primitives.ts';
import type { Route, Routes } from './route.ts';

type Json = Record<string, unknown>;

const accessText = {
  public: undefined,
  session: 'Needs a session.',
  admin: 'Needs an administrator.',
  token: undefined,
};

/** The contract as an OpenAPI 3.1 document. */
export function toOpenApi(contract: Record<string, Routes>, info: { version: string; url: string }): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const [resource, routes] of Object.entries(contract))
    for (const [name, route] of Object.entries(routes)) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      (paths[path] ??= {})[route.method.toLowerCase()] = operation(resource, name, route, schemas);
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version: info.version,
      description: 'Orchestration service for AI agents.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.url }],
    tags: Object.keys(contract).map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'service_session' },
        token: { type: 'http', scheme: 'bearer', description: 'An API token with one of the named scopes' },
      },
    },
  };
}

function operation(resource: string, name: string, route: Route, schemas: Json): Json {
  const needs = whoMayCall(route);
  return {
    operationId: `${resource}.${name}`,
    tags: [resource],
    summary: route.summary,
    ...(needs !== undefined && { description: needs }),
    security: security(route),
    ...parameters(route, schemas),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: { 'application/json': { schema: schemaOf(route.body, 'input', schemas) } },
      },
    }),
    ...(route.rawBody !== undefined && {
      requestBody: {
        required: true,
        description: route.rawBody,
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    }),
    responses: responses(route, schemas),
  };
}

function whoMayCall({ access, scopes }: Route): string | undefined {
  const text = accessText[access];
  if (!scopes) return text;
  const tokens = `an API token with ${scopes.join(' or ')}.`;
  return access === 'token' ? `Needs ${tokens}` : `${text?.slice(0, -1)} or ${tokens}`;
}

function security({ access, scopes = [] }: Route): Json[] {
  if (access === 'public') return [];
  const tokens = scopes.map((scope) => ({ token: [scope] }));
  return access === 'token' ? tokens : [{ session: [] }, ...tokens];
}

function parameters(route: Route, schemas: Json): { parameters?: Json[] } {
  const of = (place: string, schema: z.ZodObject | undefined) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
      name,
      in: place,
      required: place === 'path' || !(field as z.ZodType).safeParse(undefined).success,
      schema: schemaOf(field as z.ZodType, 'input', schemas),
    }));
  const all = [...of('path', route.params), ...of('query', route.query), ...of('header', route.headers)];
  return all.length > 0 ? { parameters: all } : {};
}

function responses(route: Route, schemas: Json): Json {
  const json = (schema: z.ZodType) => ({
    'application/json': { schema: schemaOf(schema, 'output', schemas) },
  });
  const answers: Json = {};
  if (route.redirect)
    answers[302] = {
      description: 'The browser is sent on',
      headers: { location: { schema: { type: 'string' } } },
    };
  else
    answers[route.status ?? 200] = {
      description: 'Success',
      content: {
        ...json(route.response),
        ...(route.events && {
          'text/event-stream': { schema: schemaOf(route.events, 'output', schemas) },
        }),
        ...(route.text && { 'text/plain': { schema: { type: 'string' } } }),
      },
    };
  for (const [status, schema] of Object.entries(route.also ?? {}))
    if (schema) answers[status] = { description: `Status ${status}`, content: json(schema) };
  const error = { description: 'The request was refused', content: json(errorBodySchema) };
  answers['4XX'] = error;
  answers['5XX'] = { ...error, description: 'The service could not answer' };
  return answers;
}

/** A JSON schema, with every named schema moved to the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): unknown {
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  for (const [name, definition] of Object.entries($defs)) schemas[componentName(name)] = clean(definition);
  const body = clean(own) as Json;
  const id = schema.meta()?.id;
  // A named schema may come as a reference to its own definition, which is among the components already.
  if (id === undefined || '$ref' in body) return body;
  schemas[id] = body;
  return { $ref: `#/components/schemas/${id}` };
}

/** zod names recursive schemas without a name `__schema0`. */
const componentName = (name: string) => name.replace(/^__schema\d+$/, 'Json');

/** References point to the components, and zod's own `id` is dropped: it is no keyword of a schema object here. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, item]) => !(key === 'id' && typeof item === 'string'));
  return Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string'
        ? `#/components/schemas/${componentName(item.split('/').at(-1) ?? '')}`
        : clean(item),
    ]),
  );
}
