import { z } from 'zod';
import { errorFormOf, errorSchemaOf } from './error-forms.ts';
import { liveMessageSchema, watchSchema } from './live.ts';
import { livePath } from './live-path.ts';
import { errorBodySchema } from './primitives.ts';
import { querySchema } from './query-schema.ts';
import { errorMeanings, errorStatusesOf } from './route-errors.ts';
import type { Route, Routes } from './route.ts';
import { safeParse } from './safe-parse.ts';

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
  schemaOf(errorBodySchema, 'output', schemas);
  schemaOf(liveMessageSchema, 'output', schemas);
  schemaOf(watchSchema, 'input', schemas);
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
      description: `Orchestration service for AI agents. A WebSocket at ${livePath} sends each LiveMessage as text, and takes a LiveWatch; it needs a session.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.url }],
    tags: Object.keys(contract).map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: sharedResponses(),
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
        required: !safeParse(route.body, undefined).success,
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
  const describe = (location: 'path' | 'query' | 'header', schema: z.ZodObject | undefined) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => {
      const type = field as z.ZodType;
      const { description, ...json } =
        location === 'query' ? querySchema(type) : (schemaOf(type, 'input', schemas) as Json);
      const isList = json['type'] === 'array';
      const text = description ?? (isList ? 'Comma-separated' : undefined);
      return {
        name,
        in: location,
        required: location === 'path' || !safeParse(type, undefined).success,
        ...(text !== undefined && { description: text }),
        ...(isList && { style: 'form', explode: false }),
        schema: json,
      };
    });
  const all = [
    ...describe('path', route.params),
    ...describe('query', route.query),
    ...describe('header', route.headers),
  ];
  return all.length > 0 ? { parameters: all } : {};
}

function responses(route: Route, schemas: Json): Json {
  const json = (schema: z.ZodType) => ({
    'application/json': { schema: schemaOf(schema, 'output', schemas) },
  });
  const answers: Json = {};
  if (route.redirect)
    answers[302] = {
      description: 'The browser is redirected',
      headers: { location: { schema: { type: 'string' } } },
    };
  else
    answers[route.status ?? 200] = {
      description: 'Success',
      content: {
        ...(route.file === undefined
          ? json(route.response)
          : { [route.file]: { schema: { type: 'string', format: 'binary' } } }),
        ...(route.events && {
          'text/event-stream': { schema: schemaOf(route.events, 'output', schemas) },
        }),
        ...(route.text && { 'text/plain': { schema: { type: 'string' } } }),
      },
    };
  if (route.ranges && route.file !== undefined)
    answers[206] = {
      description: 'The part that `Range` names',
      headers: { 'content-range': { schema: { type: 'string' } } },
      content: { [route.file]: { schema: { type: 'string', format: 'binary' } } },
    };
  const hasOwnErrors = errorFormOf(route.path) !== undefined;
  const ownError = hasOwnErrors ? schemaOf(errorSchemaOf(route.path), 'output', schemas) : undefined;
  const error = (status: number, name: string, description: string) =>
    hasOwnErrors ? errorResponse(status, description, ownError) : { $ref: responseRef(name) };
  for (const status of errorStatusesOf(route)) {
    const { name, description } = errorMeanings[status];
    answers[status] =
      status === 429 ? errorResponse(429, limitText(route), ownError) : error(status, name, description);
  }
  for (const [status, schema] of Object.entries(route.also ?? {}))
    if (schema) answers[status] = { description: `Status ${status}`, content: json(schema) };
  answers['4XX'] = error(400, 'ClientError', refusedText);
  answers['5XX'] = error(500, 'ServerError', failedText);
  return answers;
}

const refusedText = 'The request was refused';
const failedText = 'The service cannot answer';

const responseRef = (name: string) => `#/components/responses/${name}`;

/** The responses that routes refer to, by name. */
function sharedResponses(): Json {
  const shared = Object.entries(errorMeanings)
    .filter(([status]) => status !== '429')
    .map(([status, { name, description }]) => [name, errorResponse(Number(status), description)]);
  return {
    ...Object.fromEntries(shared),
    ClientError: errorResponse(400, refusedText),
    ServerError: errorResponse(500, failedText),
  };
}

function errorResponse(
  status: number,
  description: string,
  schema: unknown = { $ref: '#/components/schemas/Error' },
): Json {
  const canRetry = status === 429 || status === 503;
  return {
    description,
    ...(canRetry && {
      headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
    }),
    content: { 'application/json': { schema } },
  };
}

function limitText({ access, limit }: Route): string {
  const { description } = errorMeanings[429];
  if (limit) return `${description}: at most ${limit.max} in ${limit.windowMs / 1000} s per address`;
  if (access === 'token')
    return `${description} with this token: gateway.requestsPerSecond, gateway.requestsPerMinute`;
  return `${description}, where limits.requestsPerMinute is set`;
}

/** A JSON schema, with every named schema moved to the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): unknown {
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  for (const [name, definition] of Object.entries($defs))
    if (!isRecursive(name)) schemas[name] = clean(definition);
  const body = clean(own) as Json;
  const id = schema.meta()?.id;
  // A named schema may come as a reference to its own definition, which is among the components already.
  if (id === undefined || '$ref' in body) return body;
  schemas[id] = body;
  return { $ref: `#/components/schemas/${id}` };
}

/** zod names a recursive schema `__schema0`. The contract has one: any JSON, which refers to itself in lists and objects. */
const isRecursive = (name: string) => /^__schema\d+$/.test(name);

/** References point to the components, and zod's own `id` is dropped: it is no keyword of a schema object here. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Json;
  const entries = Object.entries(rest)
    .filter(([key, item]) => !(key === 'id' && typeof item === 'string'))
    .map(([key, item]) => [key, clean(item)]);
  const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : undefined;
  // Any JSON needs no schema, and a type that refers to itself is more than many generators of clients can compile.
  const reference = name === undefined || isRecursive(name) ? {} : { $ref: `#/components/schemas/${name}` };
  return { ...reference, ...Object.fromEntries(entries) };
}
