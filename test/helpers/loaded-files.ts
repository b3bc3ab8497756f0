import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Loaded with `--import`, writes what the program loads into the file that the environment names. */
const loaded = new Set<string>();
registerHooks({
  load(url, context, nextLoad) {
    loaded.add(url);
    return nextLoad(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env['LOADED_FILES'] ?? '', [...loaded].join('\n')));
