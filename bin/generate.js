// Writes what is derived from the contract and the commands: the route table of the command line and docs/reference.
// With --check it writes nothing and exits 1 when something is not current.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { contract } from '../src/contract/index.ts';
import { querySchema } from '../src/contract/query-schema.ts';
import { errorStatusesOf } from '../src/contract/route-errors.ts';
import { definitionOf, defaultOf, environmentNameOf, settingKeys } from '../src/core/config/settings.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isCheck = process.argv.includes('--check');
let stale = 0;
/** The named types of the API, gathered while the routes are described. */
const types = new Map();

emit('src/contract/route-table.ts', routeTable());
// The commands import the route table, so it has to be there before they can be loaded.
const { exitCodeMeanings, program } = await loadCommands();
emit('docs/reference/api.md', apiReference());
emit('docs/reference/cli.md', cliReference());
emit('docs/reference/settings.md', settingsReference());
process.exit(stale > 0 ? 1 : 0);

function emit(path, text) {
  const file = join(root, path);
  const formatted = format(path, text);
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
      ([name, { method, path, events }]) =>
        `${name}: { method: '${method}', path: '${path}'${events ? ', events: true' : ''} },`,
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

async function loadCommands() {
  const { createProgram, fillProgram } = await import('../src/cli/program.ts');
  const exits = await import('../src/cli/exit-codes.ts');
  const tree = createProgram(undefined);
  await fillProgram(tree, undefined);
  return { exitCodeMeanings: exits.exitCodeMeanings, program: tree };
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
  parts.push('## Types\n');
  for (const [name, json] of [...types].sort(([a], [b]) => a.localeCompare(b, 'en')))
    parts.push(`### ${name}\n`, ...describeFields(json, 'output'), '');
  return parts.join('\n');
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
    ['Answer', redirect ? undefined : route.response, 'output'],
    ['Event of the stream (`Accept: text/event-stream`)', route.events, 'output'],
  ]) {
    if (schema) lines.push(`${title}:\n`, ...fieldsOf(schema, io), '');
    if (title === 'Path' && route.query) lines.push('Query:\n', ...queryFields(route.query), '');
  }
  for (const also of Object.keys(route.also ?? {}))
    lines.push(`Also answers ${also} with a body of its own.\n`);
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
  ];
  parts.push(describeCommand(program, 'svc'));
  parts.push('## Exit codes\n', '| Code | Meaning |\n|---|---|');
  for (const [code, meaning] of Object.entries(exitCodeMeanings)) parts.push(`| ${code} | ${meaning} |`);
  return `${parts.join('\n')}\n`;
}

function describeCommand(command, path) {
  const help = command.createHelp();
  const own = [`### ${path}\n`];
  if (command.description()) own.push(`${command.description()}.\n`.replace('..', '.'));
  own.push('```sh', ...examplesOf(command), `${path} ${command.usage()}`.trim(), '```\n');
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help' || path === 'svc');
  const args = help.visibleArguments(command);
  if (args.length + options.length > 0) {
    own.push('| Option | Meaning |', '|---|---|');
    for (const argument of args)
      own.push(row(help.argumentTerm(argument), help.argumentDescription(argument)));
    for (const option of options) own.push(row(help.optionTerm(option), help.optionDescription(option)));
    own.push('');
  }
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return [...own, ...children.map((child) => describeCommand(child, `${path} ${child.name()}`))].join('\n');
}

function settingsReference() {
  const rows = settingKeys.map((key) => {
    const { schema, description, live } = definitionOf(key);
    const fallback = defaultOf(key, 'mini');
    const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return `| \`${key}\` | ${typeName(shape)} | ${fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``} | \`${environmentNameOf(key)}\` | ${live ? 'at once' : 'at the next start'} | ${description} |`;
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

/** Commander gives the texts around the help only to whoever listens for them. */
function examplesOf(command) {
  const texts = [];
  command.emit('beforeHelp', { error: false, command, write: (text) => texts.push(text) });
  return texts
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());
}
