import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, normalize, resolve } from 'node:path';
import { isInside } from '../paths/real-path.ts';

/** As many links as Linux follows. */
const MAX_LINKS = 40;
/** Directories that hold more than one program and its parts. */
const shared = ['/', '/tmp', '/var', '/var/tmp', '/dev', '/dev/shm', '/run', '/etc', '/home', '/opt', '/srv'];
/** Every sandbox shows these, also by the links that lead to them, such as /bin. */
const systemDirectories = ['/usr', '/etc'];

export interface ProgramRoots {
  /** The path to start it by. */
  program: string;
  /** What has to be visible for it to run, as real absolute paths. */
  roots: string[];
}

/**
 * What an installed program consists of: the directory of its file, or the `node_modules` around it, or its package; and the
 * links by which it is started. `closed` are directories that must not become visible as a whole, such as a home.
 */
export async function programRoots(path: string, closed: readonly string[]): Promise<ProgramRoots> {
  const real = await realpath(path);
  const root = await rootOf(real, closed);
  const links = (await linksOf(path)).map((link) => dirname(link));
  const isDirect = await Promise.all(
    links.map(async (directory) => isOpen(directory, closed) && (await realpath(directory)) === directory),
  );
  // A link names the program for those that look at their own name; it works only where all of its parts are visible.
  if (isDirect.every(Boolean)) return { program: path, roots: [...new Set([...links, root])] };
  return { program: real, roots: [root] };
}

/** What arguments make visible. */
export interface NamedRoots {
  /** As real absolute paths. */
  roots: string[];
  /** Directories that are named through a link above them, by the name that has to lead there. */
  aliases: { source: string; target: string }[];
}

/** The parts of a program that arguments name, such as the script that `node` runs; `closed` as in `programRoots`. */
export async function rootsOfArguments(
  args: readonly string[],
  closed: readonly string[],
): Promise<NamedRoots> {
  const files = await Promise.all(
    args
      .filter((argument) => argument.startsWith('/'))
      .map(async (argument) => {
        const entry = await lstat(argument).catch(() => undefined);
        // A script may also name a device, such as /dev/null.
        if (!entry?.isFile() && !entry?.isSymbolicLink()) return [];
        const found = await programRoots(argument, closed).catch(() => undefined);
        return found ? [{ directory: dirname(normalize(argument)), roots: found.roots }] : [];
      }),
  );
  const named = files.flat();
  const aliases = new Map<string, string>();
  for (const { directory } of named) {
    const source = await realpath(directory);
    const isSystem = systemDirectories.some((one) => isInside(one, source));
    if (source !== directory && !isSystem && isOpen(source, closed)) aliases.set(directory, source);
  }
  return {
    roots: [...new Set(named.flatMap(({ roots }) => roots))],
    aliases: [...aliases].map(([target, source]) => ({ source, target })),
  };
}

/** Whether a directory may become visible as a whole. */
const isOpen = (directory: string, closed: readonly string[]) =>
  !shared.includes(directory) && !closed.some((one) => isInside(directory, one));

async function rootOf(real: string, closed: readonly string[]): Promise<string> {
  const parts = real.split('/');
  const at = parts.indexOf('node_modules');
  const modules = parts.slice(0, at + 1).join('/');
  if (at > 0 && isOpen(modules, closed)) return modules;
  for (let directory = dirname(real); isOpen(directory, closed); directory = dirname(directory))
    if (await isFile(join(directory, 'package.json'))) return directory;
  return isOpen(dirname(real), closed) ? dirname(real) : real;
}

/** The links at the end of a path, in the order in which they are followed. */
async function linksOf(path: string): Promise<string[]> {
  const links: string[] = [];
  for (let current = path; links.length < MAX_LINKS;) {
    const target = await readlink(current).catch(() => undefined);
    if (target === undefined) break;
    links.push(current);
    current = resolve(dirname(current), target);
  }
  return links;
}

const isFile = async (path: string) => (await lstat(path).catch(() => undefined))?.isFile() === true;
