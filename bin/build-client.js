// Writes what other programs are built with: the typed client, its types, and the OpenAPI document.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const document = './openapi.json';

/** Builds `svc-agents/client` and `svc-agents/openapi.json` of the project in `root` into `dist`; answers the chunks, for their licenses. */
export async function buildClient(root, dist) {
  const folder = join(root, 'src/contract/package');
  const text = await openApiOf(root);
  writeFileSync(join(dist, document), text);
  const declarations = readFileSync(join(folder, 'declarations.d.ts'), 'utf8').replace(/^\/\/.*\n/, '');
  writeFileSync(join(dist, 'client.d.ts'), `${await typesOf(text)}${declarations}`);

  const build = await rolldown({
    cwd: root,
    input: { client: join(folder, 'client.ts') },
    platform: 'neutral',
    transform: { target: 'es2022' },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    minify: {
      compress: { target: 'es2022', keepNames: { function: false, class: true } },
      mangle: { keepNames: false },
    },
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  const chunks = output.filter(({ type }) => type === 'chunk');
  if (chunks.length !== 1 || chunks[0].imports.length > 0)
    throw new Error('The client is more than one file');
  return chunks;
}

/** The types of what requests carry and of what succeeds; every failure is one class. Half of the text would be indentation. */
async function typesOf(text) {
  const { generateTypes } = await import('@svc/openapi-typescript');
  const document = JSON.parse(text);
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path))
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([status]) => /^[23]\d\d$/.test(status)),
      );
  delete document.components.responses;
  const types = await generateTypes(JSON.stringify(document));
  return types
    .replace(/^export interface paths \{\n[^]*?^\}\n/m, '')
    .replace(/^export interface webhooks \{\}\n|^export type (?:webhooks|\$defs) = .*\n/gm, '')
    .replace(/^\s*headers: \{\s*\[name: string\]: unknown;\s*\};\n/gm, '')
    .replace(/^(?: {4})+/gm, (indentation) => '\t'.repeat(indentation.length / 4));
}

/** The document as the daemon serves it. */
async function openApiOf(root) {
  const [{ contract }, { toOpenApi }] = await Promise.all([
    import('../src/contract/index.ts'),
    import('../src/contract/openapi.ts'),
  ]);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return `${JSON.stringify(toOpenApi(contract, { version, url: '/' }))}\n`;
}
