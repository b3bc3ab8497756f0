// Writes what is derived from the contract and the commands: the route table of the command line, docs/reference
// and the manual page.
// With --check it writes nothing and exits 1 when something is not current.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { contract } from '../src/contract/index.ts';
import { liveMessageSchema, watchSchema } from '../src/contract/live.ts';
import { livePath } from '../src/contract/live-path.ts';
import { querySchema } from '../src/contract/query-schema.ts';
import { errorStatusesOf } from '../src/contract/route-errors.ts';
import { manPage } from './man-page.js';
import { definitionOf, defaultOf, environmentNameOf, settingKeys } from '../src/core/config/settings.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isCheck = process.argv.includes('--check');
let stale = 0;
/** The named types of the API, gathered while the routes are described. */
const types = new Map();

emit('src/contract/route-table.ts', routeTable());
emit('src/contract/choice-table.ts', choiceTable());
// The commands import both tables, so they have to be there before the commands can be loaded.
const cli = await loadCommands();
emit('docs/reference/api.md', apiReference());
emit('docs/reference/cli.md', cliReference());
emit('docs/reference/settings.md', settingsReference());
emit('docs/reference/svc.1', manPage(cli));
process.exit(stale > 0 ? 1 : 0);

function emit(path, text) {
  const file = join(root, path);
  const formatted = path.endsWith('.1') ? text : format(path, text);
  if (existsSync(file) && readFileSync(file, 'utf8') === formatted) return;
  if (isCheck) {
    stale++;
    console.error(`${path} is not current. Run: npm run generate`);
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, formatted);
  console.log(`${path} written`);
}

function format(path, input) {
  const oxfmt = join(root, 'node_modules/oxfmt/bin/oxfmt');
  const { status, stdout, stderr } = spawnSync(process.execPath, [oxfmt, `--stdin-filepath=${path}`], {
    input,
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`oxfmt: ${stderr}`);
  return stdout;
}

function routeTable() {
  const resources = Object.entries(contract).map(([resource, routes]) => {
    const lines = Object.entries(routes).map(
      ([name, { method, path, events, file }]) =>
        `${name}: { method: '${method}', path: '${path}'${events ? ', events: true' : ''}${file ? `, file: '${file}'` : ''} },`,
    );
    return `${resource}: {\n${lines.join('\n')}\n},`;
  });
  return `// Generated from the contract by bin/generate.js. Do not edit.
import type { RouteTable } from './client.ts';

/** The routes without their schemas, for a client that has to start fast. */
export const routeTable = {
${resources.join('\n')}
} as const satisfies RouteTable;
`;
}

function choiceTable() {
  /** Each list of words is written once, named after the field where it was found first. */
  const lists = new Map();
  const nameOfList = (resource, route, field, words) => {
    const text = `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
    if (!lists.has(text)) lists.set(text, `${resource}${capitalize(route)}${capitalize(field)}`);
    return lists.get(text);
  };
  const resources = Object.entries(contract).flatMap(([resource, routes]) => {
    const lines = Object.entries(routes).flatMap(([name, route]) => {
      const choices = [...choicesOfRoute(route)].map(
        ([field, words]) => `${field}: ${nameOfList(resource, name, field, words)},`,
      );
      return choices.length > 0 ? [`${name}: { ${choices.join(' ')} },`] : [];
    });
    return lines.length > 0 ? [`${resource}: {\n${lines.join('\n')}\n},`] : [];
  });
  return `// Generated from the contract by bin/generate.js. Do not edit.

${[...lists].map(([text, name]) => `const ${name} = ${text} as const;`).join('\n')}

/** The words that the input fields of each route accept, for a client that has to start fast. */
export const choiceTable = {
${resources.join('\n')}
};
`;
}

function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The fields of the path, the query and the body that accept some words only, alone or in a list. */
function choicesOfRoute({ params, query, body }) {
  const choices = new Map();
  for (const schema of [params, query, body]) {
    if (!schema) continue;
    // A field that is transformed shows its words on one side only.
    for (const io of ['input', 'output']) {
      const json = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
      const resolveRef = (node = {}) => (node.$ref ? { ...json.$defs?.[refName(node.$ref)], ...node } : node);
      for (const [field, node] of Object.entries(resolveRef(json).properties ?? {})) {
        const { enum: values, items, anyOf } = resolveRef(node);
        // A field that takes other words too still has those that are known.
        const words =
          values ?? resolveRef(items).enum ?? anyOf?.map(resolveRef).find((each) => each.enum)?.enum;
        if (words?.every((word) => typeof word === 'string')) choices.set(field, words);
      }
    }
  }
  return choices;
}

async function loadCommands() {
  const { loadNouns, programExamples, programSummary } = await import('../src/cli/program/program.ts');
  const { choiceLists, describeValue, usageOf } = await import('../src/cli/program/describe-command.ts');
  const { argumentTerm } = await import('../src/cli/program/arguments.ts');
  const { globalOptions } = await import('../src/cli/program/global-option-list.ts');
  const { helpTopics } = await import('../src/cli/program/help-topics.ts');
  return {
    argumentTerm,
    choiceLists,
    describeValue,
    globalOptions,
    helpTopics,
    nouns: await loadNouns([]),
    programExamples,
    programSummary,
    usageOf,
  };
}

function apiReference() {
  const parts = [
    '# HTTP API\n',
    'Generated from the contract. `GET /api/openapi.json` gives the same as OpenAPI 3.1.\n',
  ];
  for (const [resource, routes] of Object.entries(contract)) {
    parts.push(`## ${resource}\n`);
    for (const route of Object.values(routes)) parts.push(describeRoute(route));
  }
  parts.push(liveReference(), '## Types\n');
  for (const [name, json] of [...types].sort(([a], [b]) => a.localeCompare(b, 'en')))
    parts.push(`### ${name}\n`, ...describeFields(json, 'output'), '');
  return parts.join('\n');
}

function liveReference() {
  const messages = liveMessageSchema.options.flatMap((option) => [
    `### Live message: ${option.shape.type.value}\n`,
    ...fieldsOf(option.omit({ type: true }), 'output'),
    '',
  ]);
  return [
    '## Live feed\n',
    `A WebSocket at \`${livePath}\`. Access: session. A client may send:\n`,
    ...fieldsOf(watchSchema, 'input'),
    '',
    ...messages,
  ].join('\n');
}

function describeRoute(route) {
  const { method, path, access, scopes, summary, redirect, status = redirect ? 302 : 200, limit } = route;
  const lines = [
    `### ${method} ${path}\n`,
    `${summary}. Access: ${access === 'token' ? '' : access}${scopes ? `${access === 'token' ? 'an' : ', or an'} API token with ${scopes.map((scope) => `\`${scope}\``).join(' or ')}` : ''}. Answers ${status}.\n`,
  ];
  if (limit) lines.push(`At most ${limit.max} requests in ${limit.windowMs / 1000} s per address.\n`);
  for (const [title, schema, io] of [
    ['Path', route.params, 'input'],
    ['Headers', route.headers, 'input'],
    ['Body', route.body, 'input'],
    [
      route.file
        ? `Answer (\`${route.file}\`${route.text ? ', or `text/plain` for `Accept: text/plain`' : ''})`
        : 'Answer',
      redirect ? undefined : route.response,
      'output',
    ],
    ['Event of the stream (`Accept: text/event-stream`)', route.events, 'output'],
  ]) {
    if (schema) lines.push(`${title}:\n`, ...fieldsOf(schema, io), '');
    if (title === 'Path' && route.query) lines.push('Query:\n', ...queryFields(route.query), '');
  }
  for (const also of Object.keys(route.also ?? {}))
    lines.push(`Also answers ${also} with a body of its own.\n`);
  if (route.ranges) lines.push('Answers 206 with a part for `Range`.\n');
  lines.push(`Errors: ${errorStatusesOf(route).join(', ')}.\n`);
  return lines.join('\n');
}

function fieldsOf(schema, io) {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  for (const [name, type] of Object.entries(json.$defs ?? {}))
    if (!name.startsWith('__')) types.set(name, type);
  return describeFields(json, io);
}

/** Query parameters are text that is read as numbers, booleans and lists: they are described as these. */
function queryFields({ shape }) {
  const required = Object.keys(shape).filter((name) => !shape[name].safeParse(undefined).success);
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, querySchema(field)]),
  );
  return describeFields({ properties, required }, 'input');
}

/** One line per property. */
function describeFields(json, io) {
  const { properties, required = [] } = inline(json);
  if (!properties) return [`- ${typeName(json)}`];
  return Object.entries(properties).map(([name, node]) => {
    const { description, default: fallback, minimum, maximum } = inline(node);
    const hasRange = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
    const isAlways = required.includes(name);
    const notes = [
      typeName(node),
      io === 'input' && hasRange && `${minimum} to ${maximum}`,
      io === 'input' && (isAlways ? 'required' : 'optional'),
      io === 'output' && !isAlways && 'where known',
      fallback !== undefined && `default \`${JSON.stringify(fallback)}\``,
      description,
    ].filter(Boolean);
    return `- \`${name}\`: ${notes.join('; ')}`;
  });
}

function inline({ $ref, ...node }) {
  return $ref ? { ...types.get(refName($ref)), ...node } : node;
}

function refName($ref) {
  return $ref.split('/').at(-1);
}

function typeName(node) {
  const { $ref, type, enum: values, const: value, items, anyOf, oneOf, properties } = node;
  if ($ref)
    return refName($ref).startsWith('__')
      ? 'any JSON'
      : `[${refName($ref)}](#${refName($ref).toLowerCase()})`;
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values) return values.map((each) => `\`${each}\``).join(' or ');
  if (anyOf ?? oneOf) return (anyOf ?? oneOf).map(typeName).join(' or ');
  if (type === 'array') return `list of ${items ? typeName(items) : 'anything'}`;
  if (type === 'object' && properties)
    return `{ ${Object.entries(properties)
      .map(([name, each]) => `${name}: ${typeName(each)}`)
      .join(', ')} }`;
  return type ?? 'any JSON';
}

function cliReference() {
  const parts = [
    '# Command line\n',
    'Generated from the commands. `svc COMMAND --help` says the same.\n',
    '## Commands\n',
    '### svc\n',
    `${cli.programSummary}\n`,
    '```sh',
    ...cli.programExamples,
    'svc [options] <command>',
    '```\n',
    ...optionTable([
      ...cli.globalOptions.map((option) => row(option.flags, cli.describeValue(option))),
      row('-V, --version', 'Print the version'),
      row('-h, --help', 'Show help'),
    ]),
    ...cli.nouns.filter(({ isHidden }) => !isHidden).map((noun) => describeCommand(noun, `svc ${noun.name}`)),
  ];
  for (const { summary, rows } of cli.helpTopics)
    parts.push(`## ${summary}\n`, '| Name | Meaning |\n|---|---|', ...rows.map((each) => row(...each)), '');
  return `${parts.join('\n')}\n`;
}

function describeCommand(command, path) {
  const { summary, examples, args, options, inherited, commands } = command;
  const rows = [
    ...Object.entries(args).map(([name, spec]) => row(cli.argumentTerm(name, spec), cli.describeValue(spec))),
    ...[...options, ...inherited].map((option) => row(option.flags, cli.describeValue(option))),
  ];
  return [
    `### ${path}\n`,
    `${summary}.\n`,
    '```sh',
    ...examples,
    `${path} ${cli.usageOf(command)}`,
    '```\n',
    ...(rows.length > 0 ? optionTable(rows) : []),
    ...cli
      .choiceLists(command)
      .flatMap(({ title, words }) => [
        `${title}:\n`,
        ...words.map(([word, meaning]) => `- \`${word}\`: ${meaning}`),
        '',
      ]),
    ...commands.map((child) => describeCommand(child, `${path} ${child.name}`)),
  ].join('\n');
}

function optionTable(rows) {
  return ['| Option | Meaning |', '|---|---|', ...rows, ''];
}

function settingsReference() {
  const rows = settingKeys.map((key) => {
    const { schema, description, live } = definitionOf(key);
    const fallback = defaultOf(key, 'mini');
    const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    // The named types are those of the API.
    const type = `${typeName(shape)}`.replaceAll('](#', '](api.md#');
    return `| \`${key}\` | ${type} | ${fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``} | \`${environmentNameOf(key)}\` | ${live ? 'at once' : 'at the next start'} | ${description} |`;
  });
  return [
    '# Settings\n',
    'Generated from the code. How they are set: [Configuration](../configuration.md).\n',
    '| Key | Value | Default | Environment | A change counts | What it is for |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function row(term, text) {
  return `| \`${term.replaceAll('|', '\\|')}\` | ${text.replaceAll('|', '\\|')} |`;
}
