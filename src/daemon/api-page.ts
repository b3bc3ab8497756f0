type Json = Record<string, unknown>;
interface Response {
  description: string;
  content?: Record<string, { schema: Json }>;
}

/** The style of the page, which is a file of its own: no page has styles in it. */
export const apiPageStyle = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
  h1 { margin-bottom: 0; } h2 { margin-top: 3rem; border-bottom: 1px solid #8884; padding-bottom: .25rem; }
  nav a { margin-right: 1rem; } code, .path { font-family: ui-monospace, monospace; font-size: .9rem; }
  details { border: 1px solid #8884; border-radius: .5rem; margin: .5rem 0; padding: .5rem .75rem; }
  summary { cursor: pointer; display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap; }
  .method { font-weight: 700; min-width: 4rem; } .GET { color: #2a7; } .POST { color: #27c; } .PUT, .PATCH { color: #b70; }
  .DELETE { color: #c33; } .what { color: #888; } table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
  th, td { text-align: left; padding: .25rem .5rem; border-top: 1px solid #8883; vertical-align: top; } th { font-weight: 600; }
`;

/** Renders the OpenAPI document as one page without scripts. */
export function renderApiPage(document: Json): string {
  const info = document['info'] as { title: string; version: string };
  const paths = document['paths'] as Record<string, Record<string, Json>>;
  const { schemas, responses } = document['components'] as Record<
    'schemas' | 'responses',
    Record<string, Json>
  >;
  const tags = (document['tags'] as { name: string }[]).map(({ name }) => name);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => (operation['tags'] as string[])[0] === tag);
    return `<h2 id="${escape(tag)}">${escape(tag)}</h2>${own.map((each) => renderOperation(each, responses)).join('')}`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(info.title)} API</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/api/docs.css"></head><body>
<h1>${escape(info.title)} API</h1><p class="what">Version ${escape(info.version)} ·
<a href="/api/openapi.json">OpenAPI document</a></p>
<nav>${tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join('')}<a href="#objects">objects</a></nav>
${sections.join('')}
<h2 id="objects">Objects</h2>${Object.entries(schemas).map(renderObject).join('')}
</body></html>`;
}

function renderOperation(
  { path, method, operation }: { path: string; method: string; operation: Json },
  shared: Record<string, Json>,
): string {
  const parameters = (operation['parameters'] ?? []) as {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: Json;
  }[];
  const body = (operation['requestBody'] as { content: Record<string, { schema: Json }> } | undefined)
    ?.content['application/json']?.schema;
  const responses = operation['responses'] as Record<string, Response | { $ref: string }>;
  const rows = parameters.map(
    ({ name, in: location, required, description, schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${location}</td><td>${typeOf(schema)}${rangeOf(schema)}</td><td>${required ? 'required' : ''}</td><td>${escape(description ?? '')}</td></tr>`,
  );
  const responseRows = Object.entries(responses)
    .filter(([status]) => /^\d+$/.test(status))
    .flatMap(([status, response]) => {
      const { content, description } =
        '$ref' in response
          ? (shared[response.$ref.split('/').at(-1) ?? ''] as unknown as Response)
          : response;
      const cells = Object.entries(content ?? {}).map(
        ([type, { schema }]) => `<td>${escape(type)}</td><td>${typeOf(schema)}</td>`,
      );
      return (cells.length > 0 ? cells : ['<td></td><td></td>']).map(
        (cell) => `<tr><td>${status}</td>${cell}<td>${escape(description)}</td></tr>`,
      );
    });
  return `<details><summary><span class="method ${method}">${method}</span><span class="path">${escape(path)}</span>
<span class="what">${escape(textOf(operation['summary']))}</span></summary>
<p>${escape(textOf(operation['description']) || 'Needs no credential.')}</p>
${rows.length > 0 ? `<table><tr><th>Parameter</th><th>in</th><th>Type</th><th></th><th></th></tr>${rows.join('')}</table>` : ''}
${body ? `<p><strong>Body</strong> ${typeOf(body)}</p>${renderFields(body)}` : ''}
<table><tr><th>Status</th><th>Content</th><th>Type</th><th>Meaning</th></tr>${responseRows.join('')}</table></details>`;
}

const renderObject = ([name, schema]: [string, Json]) =>
  `<details id="object-${escape(name)}"><summary><strong>${escape(name)}</strong></summary>${renderFields(schema) || `<p>${typeOf(schema)}</p>`}</details>`;

function renderFields(schema: Json): string {
  const fields = schema['properties'] as Record<string, Json> | undefined;
  if (!fields) return '';
  const required = new Set(schema['required'] as string[] | undefined);
  const rows = Object.entries(fields).map(
    ([name, field]) =>
      `<tr><td><code>${escape(name)}</code></td><td>${typeOf(field)}</td><td>${required.has(name) ? 'required' : ''}</td><td>${escape(textOf(field['description']))}</td></tr>`,
  );
  return `<table><tr><th>Field</th><th>Type</th><th></th><th></th></tr>${rows.join('')}</table>`;
}

/** The range and the default of a parameter. */
function rangeOf({ minimum, maximum, default: fallback }: Json): string {
  const range = minimum === undefined ? '' : `, ${JSON.stringify(minimum)} to ${JSON.stringify(maximum)}`;
  return escape(fallback === undefined ? range : `${range}, default ${JSON.stringify(fallback)}`);
}

/** Renders the type of a schema, with links to the objects. */
function typeOf(schema: Json): string {
  const { $ref, enum: values, const: only, anyOf, oneOf, items, properties, type, format } = schema;
  if (typeof $ref === 'string') {
    const name = escape($ref.split('/').at(-1) ?? '');
    return `<a href="#object-${name}">${name}</a>`;
  }
  if (Array.isArray(values))
    return values.map((value) => `<code>${escape(JSON.stringify(value))}</code>`).join(' | ');
  if (only !== undefined) return `<code>${escape(JSON.stringify(only))}</code>`;
  const either = (anyOf ?? oneOf) as Json[] | undefined;
  if (either) return either.map(typeOf).join(' | ');
  if (items) return `list of ${typeOf(items as Json)}`;
  if (properties)
    return `{ ${Object.entries(properties as Record<string, Json>)
      .map(([name, field]) => `<code>${escape(name)}</code>: ${typeOf(field)}`)
      .join(', ')} }`;
  const plain = Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any';
  return escape(typeof format === 'string' ? `${plain} (${format})` : plain);
}

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
