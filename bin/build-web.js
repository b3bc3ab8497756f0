// Bundles the pages of the web UI into dist/web, with a compressed copy beside each file.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

/** The daemon serves these instead of compressing the same bytes for everybody. */
const precompress = {
  name: 'precompress',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (!/\.(js|css|svg|html|webmanifest)$/.test(file.fileName)) continue;
        const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        this.emitFile({
          type: 'asset',
          fileName: `${file.fileName}.br`,
          source: brotliCompressSync(bytes, { params }),
        });
        this.emitFile({
          type: 'asset',
          fileName: `${file.fileName}.gz`,
          source: gzipSync(bytes, { level: 9 }),
        });
      }
    },
  },
};

/** Builds src/web of the project in `root` into `dist`; answers the chunks, for their licenses. */
export async function buildWeb(root, dist) {
  // What this process was started for says nothing about the pages: React for developers is three times as large.
  process.env.NODE_ENV = 'production';
  const { output } = await build({
    configFile: false,
    root: join(root, 'src/web'),
    logLevel: 'warn',
    plugins: [react(), precompress],
    build: {
      outDir: dist,
      emptyOutDir: true,
      target: 'es2023',
      // A font or an icon inlined as data: would need a weaker content security policy.
      assetsInlineLimit: 0,
      // Every supported browser preloads modules by itself; to list what each page needs is more than it saves.
      modulePreload: {
        polyfill: false,
        resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
      },
      rolldownOptions: {
        output: {
          codeSplitting: {
            // What only lists of thousands of rows need comes with the first of them.
            groups: [
              {
                name: 'vendor',
                test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core))\b/,
                priority: 1,
              },
              {
                // What the first page and most others show: many small files compress worse than one.
                name: 'shared',
                test: /src\/(web\/(components\/(time|use-steady|empty|loading|line-counts|status-badge|task-progress|task-time)|live\/use-away)|contract\/visible-text)\./,
              },
              { name: 'virtual', test: /node_modules\/@tanstack\/(react-virtual|virtual-core)\// },
            ],
          },
        },
      },
    },
  });
  return output.filter(({ type }) => type === 'chunk');
}
