// Bundles the program into dist/: its own code and the packages it uses, in chunks that are loaded as late as the sources
// import them. The command line, the daemon and each worker thread are bundles of their own.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { buildClient } from './build-client.js';
import { buildWeb } from './build-web.js';
import { lateSchemas } from './late-schemas.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const source = (path) => join(root, 'src', path);

/** Stays outside, because it is native code. */
const external = ['sqlite-vec'];

const packageFolder = /^\0?(?<folder>\/.*\/node_modules\/(?<name>(?:@[^/]+\/)?[^/]+))\//;

const main = source('cli/main.ts');
const shell = source('cli/program/run-cli.ts');
/** The command that scripts use most. */
const run = ['run.ts', 'run/run-task.ts', 'run/follow-run.ts'].map((name) => source(`cli/commands/${name}`));
const schemas = ['response-fields', 'schedule-checks'].map((name) => source(`contract/${name}.ts`));
const daemon = source('daemon/start.ts');

/** An import of a module of Node.js reads all that it exports, which for http loads all of fetch: they are taken as they are. */
const builtinsWithoutNamespaces = {
  name: 'builtins-without-namespaces',
  renderChunk(code, chunk, options, { magicString }) {
    for (const match of code.matchAll(/^import ([^"\n]*) from "(node:[\w/]+)";$/gm)) {
      // A chunk may have a binding "process" of its own.
      const builtin = `globalThis.process.getBuiltinModule("${match[2]}")`;
      const { whole, named } = /^(?:\* as )?(?<whole>[\w$]+)?(?:, )?(?:\{ (?<named>.*) \})?$/.exec(
        match[1],
      ).groups;
      const names = named
        ?.split(', ')
        .map((name) => name.replace(' as ', ': '))
        .join(', ');
      const parts = [whole && `${whole} = ${builtin}`, names && `{ ${names} } = ${whole ?? builtin}`];
      magicString.update(
        match.index,
        match.index + match[0].length,
        `const ${parts.filter(Boolean).join(', ')};`,
      );
    }
    return magicString;
  },
};

/** Encryption and compression cost an idle daemon 7 MiB: these files, which require them, get them at their first use. */
const lateBuiltins = {
  name: 'late-builtins',
  transform: {
    filter: { id: /node_modules\/(fastify\/lib\/server|ws\/lib\/(websocket|permessage-deflate))\.js$/ },
    handler(code, id, { magicString }) {
      const requires = [
        ...code.matchAll(/^const (\w+) = (require\('(?:node:)?(?:http2|https|tls|zlib)'\));?$/gm),
      ];
      if (requires.length === 0) throw new Error(`${id} requires none of the late modules`);
      for (const { 0: line, 1: name, 2: call, index } of requires) {
        magicString.remove(index, index + line.length);
        for (const use of code.matchAll(new RegExp(`(?<![.\\w$'"])${name}(?=\\.\\w)`, 'g')))
          magicString.update(use.index, use.index + name.length, call);
      }
      return { code: magicString };
    },
  },
};

/** The router compiles a matcher for each part of a path, and most are replaced while routes are registered: these compile nothing. */
const plainPathMatchers = {
  name: 'plain-path-matchers',
  transform: {
    filter: { id: /node_modules\/find-my-way\/lib\/node\.js$/ },
    handler(code, id, { magicString }) {
      const compilation = '  const lines = []\n';
      const index = code.indexOf(compilation);
      if (index < 0) throw new Error(`${id} makes its matchers in another way`);
      magicString.appendLeft(index, '  return (path, i) => path.startsWith(prefix, i)\n');
      return { code: magicString };
    },
  },
};

/** The command line loads the daemon as a file of its own: in one bundle, what both use would be files that both load. */
const daemonApart = {
  name: 'daemon-apart',
  resolveId: {
    filter: { id: /\/daemon\/start\.ts$/ },
    handler: (id, importer) => (importer === undefined ? null : { id: './daemon.js', external: true }),
  },
};

rmSync(dist, { recursive: true, force: true });
const chunks = [
  ...(await bundle({ main }, { plugins: [daemonApart], groups: groupsOfCommands })),
  ...(await bundle({ daemon }, { groups: ({ imports }) => ({ daemon: imports([daemon]) }) })),
  ...(await bundle({ 'index-thread': source('core/memory/index/index-thread.ts') })),
  ...(await bundle({ 'fork-process': source('core/processes/fork-server/fork-process.ts') })),
  ...(await bundle({ 'reader-thread': source('core/storage/sqlite/long-reads/reader-thread.ts') })),
  ...(await bundle({ 'snapshot-thread': source('core/backup/snapshot-thread.ts') })),
  ...(await buildWeb(root, join(dist, 'web'))),
  ...(await buildClient(root, dist)),
];
const circular = chunksInCycles(chunks);
if (circular.length > 0) throw new Error(`Chunks import each other in a circle: ${circular.join(', ')}`);
writeFileSync(join(dist, 'licenses.txt'), licensesOf(chunks));
writeFileSync(join(dist, '.built'), '');

async function bundle(input, { plugins = [], groups } = {}) {
  const grouping = groups && chunkGroups(groups);
  const build = await rolldown({
    cwd: root,
    input,
    external,
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    resolve: {
      alias: {
        // Its build for Node.js loads files in a way that cannot be bundled.
        'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
        // Ink loads it where developers of Ink have installed it.
        'react-devtools-core': false,
        // Fastify has them for JSON schemas and for tests without a socket.
        '@fastify/ajv-compiler': false,
        '@fastify/fast-json-stringify-compiler': false,
        'light-my-request': false,
        duplexify: false,
      },
    },
    transform: {
      target: 'node24',
      define: { 'process.env.NODE_ENV': '"production"' },
    },
    plugins: [
      ...plugins,
      lateBuiltins,
      plainPathMatchers,
      lateSchemas,
      builtinsWithoutNamespaces,
      grouping?.plugin,
    ],
    experimental: { nativeMagicString: true },
    onLog(level, log) {
      // Some modules are imported early by one and late by another.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: ({ name, moduleIds }) => `${packageOf(moduleIds.at(-1) ?? '') ?? name}-[hash].js`,
    minify: {
      // Stack traces keep their names; with --debug the maps give the lines of the sources.
      compress: { target: 'es2024', keepNames: { function: true, class: true } },
      mangle: { keepNames: true },
      // Any other character doubles the memory of its whole file.
      codegen: { removeWhitespace: true, legalComments: 'none', asciiOnly: true },
    },
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    ...(grouping && { codeSplitting: { groups: [grouping.group] } }),
  });
  await build.close();
  return output.filter(({ type }) => type === 'chunk');
}

/** What every command needs, what `svc run` needs beside it and is quick to load, and what only those with schemas need. */
function groupsOfCommands({ imports, reaches }) {
  const ofMain = imports([main]);
  const isQuick = (id) => ![...imports([id])].some((each) => packageOf(each) === 'zod');
  const ofRun = new Set([...imports(run)].filter(isQuick)).difference(ofMain);
  const ofOthers = reaches([main], run);
  return {
    shell: imports([shell]).difference(ofMain).union(ofRun.intersection(ofOthers)),
    run: ofRun.difference(ofOthers),
    contract: imports(schemas).difference(reaches([main], schemas)),
  };
}

/** What is loaded together becomes one file, because each file costs a start a millisecond. `groups` names the modules of each. */
function chunkGroups(groups) {
  const groupOf = new Map();
  return {
    plugin: {
      name: 'chunk-groups',
      buildEnd() {
        const importsOf = (id) => this.getModuleInfo(id)?.importedIds ?? [];
        const allOf = (id) => [...importsOf(id), ...(this.getModuleInfo(id)?.dynamicallyImportedIds ?? [])];
        const modules = groups({
          imports: (from) => reach(from, importsOf),
          reaches: (from, except) => reach(from, (id) => allOf(id).filter((each) => !except.includes(each))),
        });
        for (const [name, ids] of Object.entries(modules)) for (const id of ids) groupOf.set(id, name);
      },
    },
    group: { name: (id) => groupOf.get(id), debugName: 'groups', includeDependenciesRecursively: false },
  };
}

function reach(from, importsOf) {
  const reached = new Set(from);
  for (const id of reached) for (const each of importsOf(id)) reached.add(each);
  return reached;
}

function chunksInCycles(chunks) {
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  return [...importsOf.keys()].filter((name) =>
    reach(importsOf.get(name), (each) => importsOf.get(each) ?? []).has(name),
  );
}

/** The name of the package that a module is of, as a part of a file name. */
function packageOf(id) {
  return packageFolder.exec(id)?.groups.name.replace(/^@/, '').replace('/', '-');
}

/** The licenses of all packages in the bundle. */
function licensesOf(chunks) {
  const packages = new Map();
  for (const { modules } of chunks)
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      const folder = packageFolder.exec(id)?.groups.folder;
      if (folder && renderedLength > 0) packages.set(folder, licenseOf(folder));
    }
  const texts = [...new Set(packages.values())].sort((a, b) => a.localeCompare(b, 'en'));
  return `svc contains these packages, under their own licenses:\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function licenseOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find(
    (each) => /^(licen[cs]e|copying)/i.test(each) && statSync(join(folder, each)).isFile(),
  );
  const holder = typeof author === 'object' ? author.name : author;
  const text = file
    ? readFileSync(join(folder, file), 'utf8').trim()
    : `Copyright ${holder ?? `the authors of ${name}`}, https://spdx.org/licenses/${license}.html`;
  if (!license) throw new Error(`${relative(root, folder)} names no license`);
  return `${name} ${version} (${license})\n\n${text}\n`;
}
