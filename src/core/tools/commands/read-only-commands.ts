import { hasLong, hasShort, programName } from './command-options.ts';
import { isHarmless } from './harmless-programs.ts';
import { whyRisky } from './risky-programs.ts';

/** Options of `grep` that name more files to read, or follow links out of a directory. */
const searchesElsewhere = (args: readonly string[]) =>
  hasShort(args, 'Rdf') || hasLong(args, 'dereference-recursive', 'directories', 'file', 'devices');

/** Programs that read every file of a directory, if their arguments let them do nothing else. */
const walkers: Record<string, (args: readonly string[]) => boolean> = {
  grep: (args) => !searchesElsewhere(args),
  egrep: (args) => !searchesElsewhere(args),
  fgrep: (args) => !searchesElsewhere(args),
  rg: (args) =>
    !hasShort(args, 'Lfz') &&
    !hasLong(args, 'pre', 'hostname-bin', 'follow', 'file', 'search-zip', 'ignore-file', 'generate'),
};

/** Whether a command reads all files of the directories that it names, and does nothing else. */
export function walksDirectories(argv: readonly string[]): boolean {
  const [program = '', ...args] = argv;
  if (program === 'git' && args[0] === 'grep')
    return !hasShort(args, 'Of') && !hasLong(args, 'open-files-in-pager', 'no-index', 'file', 'ext-grep');
  return Object.hasOwn(walkers, program) && walkers[program]?.(args) === true;
}

/**
 * Programs that print their version and nothing else, also those that otherwise need an approval. Not those that read in the
 * workspace which program to start, such as yarn and cargo.
 */
const isVersionQuery = ([program = '', option = '', ...more]: readonly string[]): boolean =>
  more.length === 0 &&
  (['--version', '-V'].includes(option) || (option === '-v' && /^(node|npm)$/.test(program))) &&
  /^(node|npm|python|ruby|perl|java|javac|deno|gcc|g\+\+|cc|c\+\+|clang|make|cmake|git|docker|podman|kubectl|curl|wget|ssh|jq|rg|fd|find|grep|sed|awk|gawk|tar|bash|zsh|vim|nvim|tmux|openssl|sqlite|psql|mysql)$/.test(
    program.includes('/') ? '' : programName(program),
  );

/** Whether a command only reads, wherever it runs. The guards check the paths in its operands. */
export const isHarmlessAnywhere = (argv: readonly string[]): boolean =>
  isVersionQuery(argv) || (whyRisky(argv) === undefined && isHarmless(argv));

/** Whether a command only reads, so that a sandbox that hides secrets makes it harmless. */
export const isReadOnly = (argv: readonly string[]): boolean =>
  isHarmlessAnywhere(argv) ||
  (whyRisky(argv) === undefined && (walksDirectories(argv) || comparesDirectories(argv) || isPlainAwk(argv)));

/** Follows links, so without a sandbox it could leave the workspace. */
const comparesDirectories = ([program, ...args]: readonly string[]): boolean =>
  program === 'diff' && args.every((arg) => !/^(-[XSl]|--(to-file|from-file|exclude-from))/.test(arg));

/** Its rule for risks leaves nothing but reading, printing and calculating, unless a file holds the program. */
const isPlainAwk = ([program = '', ...args]: readonly string[]): boolean =>
  /^[gmn]?awk$/.test(program) && args.every((arg) => !/^-([^Fv]|$)/.test(arg));
