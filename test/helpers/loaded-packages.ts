import { registerHooks } from 'node:module';

/** Prints what is loaded, packages included, when the modules are that the arguments name. */
const loaded = new Set<string>();
registerHooks({
  resolve(specifier, context, nextResolve) {
    loaded.add(specifier);
    return nextResolve(specifier, context);
  },
});
for (const file of process.argv.slice(2)) await import(file);
process.stdout.write([...loaded].join('\n'));
