import { foldName } from './fold-name.ts';

/** Files of settings and data, also as copies, and those without an extension. */
const configuration =
  /\.(json[5c]?|ya?ml|toml|ini|cfg|cnf|conf|config|properties|env|xml|plist|sql|dump|txt|csv|tfvars|hcl|rc|auto|local|bak|old|orig|save|swp|backup|log|passwd|sh|bash|zsh)$|~$|^[^.]+$|^\.[\w-]+$|rc$/;
/** Programs that mostly consist of settings. */
const settingsProgram =
  /^([\w-]*[-_.])?(config|configuration|settings|credentials?|secrets|database|production|prod)\.(php|py|rb|js|cjs|mjs|ts|java|cs|go|groovy|pl|ps1)$/;
/** Lists that tools generate, with many checksums. */
const generated =
  /^(package-lock\.json|npm-shrinkwrap\.json|composer\.lock|pnpm-lock\.yaml|yarn\.lock|cargo\.lock|poetry\.lock|go\.sum|uv\.lock|flake\.lock|.*\.map|license|licence|copying|notice|changelog|authors|readme|makefile|dockerfile|head|orig_head|packed-refs|commit_editmsg)$|\.lock$/;
const source =
  /\.(js|cjs|mjs|jsx|ts|cts|mts|tsx|py|rb|php|java|kt|scala|go|rs|cs|swift|c|h|cc|cpp|sh|bash|zsh|ps1|pl|lua|groovy|dart|vue|svelte|ipynb|pem|key|asc|md)$/;
const tests =
  /(^|\/)(tests?|specs?|__tests__|__mocks__|fixtures?|testdata|test-data|examples?|samples?|mocks?|stubs?)(\/|$)|[._-](test|spec)\.\w+$|\.(example|sample|template|dist|tmpl)(\.\w+)?$|\.schema\.json$/i;

const nameOf = (path: string) => foldName(path.split('/').at(-1) ?? '');

/** Whether a file by its name holds settings, where any password is meant. */
export function isConfigurationName(path: string): boolean {
  const name = nameOf(path);
  return !generated.test(name) && (configuration.test(name) || settingsProgram.test(name));
}

/** Whether a file by its name is a program, where only what looks like a real key counts. */
export const isSourceName = (path: string): boolean => source.test(nameOf(path));

/** Whether a file belongs to tests or examples, whose secrets are invented. */
export const isTestPath = (path: string): boolean => tests.test(path);
