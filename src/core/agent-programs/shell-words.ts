import { parse } from 'unbash';

/** What can be read from a text that a shell interprets; the shell may do more, by its variables for example. */
export interface ShellWords {
  /** The programs with their arguments, those in substitutions and functions among them. */
  argvs: string[][];
  /** The files that it writes or reads by redirections. */
  redirects: { path: string; operation: 'read' | 'write' }[];
}

/** Devices without content. */
const harmless = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/;
/** Nested deeper, a text is not read; no person writes one. */
const MAX_NODES = 20_000;

/** Reads the words of a shell text, of one that is not complete or not for this shell as well as possible. */
export function readShellWords(text: string): ShellWords {
  const found: ShellWords = { argvs: [], redirects: [] };
  const script = parse(text);
  collect(script, found);
  if (script.errors?.length || found.argvs.length === 0) {
    // By spaces and operators, which finds every plain path.
    for (const part of text.split(/[;&|\n()`]+/)) {
      const words = part.split(/[\s<>"']+/).filter(Boolean);
      if (words.length > 0) found.argvs.push(words);
    }
  }
  return found;
}

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function collect(root: unknown, found: ShellWords): void {
  const pending = [root];
  for (let seen = 0; pending.length > 0 && seen < MAX_NODES; seen++) {
    const next = pending.pop();
    if (!isNode(next)) continue;
    if (next['type'] === 'Command') addCommand(next, found);
    if (isRedirect(next)) addRedirect(next, found);
    // What the parser makes at first use is not among the entries of an object.
    pending.push(...Object.values(next));
    for (const name of ['parts', 'script', 'inner']) if (name in next) pending.push(next[name]);
  }
}

function addCommand(command: Node, { argvs }: ShellWords): void {
  const words = [command['name'], ...listOf(command['suffix']), ...listOf(command['prefix']).map(valueOf)];
  const argv = words.map(textOf).filter((word) => word !== undefined);
  if (argv.length > 0) argvs.push(argv);
}

const valueOf = (assignment: unknown) => (isNode(assignment) ? assignment['value'] : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (word: unknown): string | undefined =>
  isNode(word) && typeof word['value'] === 'string' ? word['value'] : undefined;

const isRedirect = (node: Node) => typeof node['operator'] === 'string' && 'target' in node;

function addRedirect({ operator, target }: Node, { redirects }: ShellWords): void {
  const path = textOf(target);
  if (path === undefined || harmless.test(path) || /^\d+-?$|^-$/.test(path)) return;
  if (typeof operator === 'string' && operator.startsWith('<<')) return;
  redirects.push({ path, operation: operator === '<' ? 'read' : 'write' });
}
