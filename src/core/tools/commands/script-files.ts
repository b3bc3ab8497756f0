import { createHash } from 'node:crypto';
import { open, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import { type ScriptFile, ToolFailure } from '../tool.ts';
import { programName, setOf } from './command-options.ts';
import { isHarmless } from './harmless-programs.ts';
import { isInterpreter } from './risky-interpreters.ts';
import { isWrapper } from './risky-programs.ts';

const systemDirectories = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/nix',
  '/snap',
  '/System',
  '/dev',
  '/proc',
  '/sys',
];
const MAX_WORDS = 2000;
const MAX_FILES = 50;
const MAX_BYTES = 256 * 1024 * 1024;
const PIECE = 256 * 1024;

const testRunners = setOf('ava jest mocha phpunit pytest rspec tap vitest');
/** Files that programs run without naming them, in their directory or a parent directory. */
const ownFiles: readonly [programs: ReadonlySet<string>, files: readonly string[]][] = [
  [setOf('make gmake'), ['GNUmakefile', 'makefile', 'Makefile']],
  [setOf('npm npx pnpm yarn bun bunx'), ['package.json']],
  [setOf('just'), ['justfile', 'Justfile', '.justfile']],
  [setOf('task'), ['Taskfile.yml', 'Taskfile.yaml']],
  [setOf('rake'), ['Rakefile']],
  [setOf('composer'), ['composer.json']],
  [setOf('cargo'), ['Cargo.toml', 'build.rs']],
  [setOf('gradle gradlew'), ['build.gradle', 'build.gradle.kts']],
  [setOf('mvn mvnw'), ['pom.xml']],
  [setOf('ant'), ['build.xml']],
];

/**
 * The files that a command runs, with their hashes: the program itself if it is given by its path, the scripts of
 * interpreters, what wrappers run, any executable in the arguments, and the files that tools such as make run.
 */
export async function scriptFiles(
  argv: readonly string[],
  cwd: string,
  workspace: string,
): Promise<ScriptFile[]> {
  if (isHarmless(argv)) return [];
  const paths = new Set<string>();
  for (const { word, isRun } of candidates(argv)) {
    const path = await realpath(resolve(cwd, word)).catch(() => undefined);
    if (path !== undefined && (await isScript(path, isRun, workspace))) paths.add(path);
  }
  for (const path of await filesOf(programName(argv[0] ?? ''), cwd, workspace)) paths.add(path);
  if (paths.size > MAX_FILES) throw new ToolFailure(`The command names more than ${MAX_FILES} scripts`);
  const found: ScriptFile[] = [];
  for (const path of paths) {
    const sha256 = await hashOf(path).catch(skipUnreadable);
    if (sha256 !== undefined) found.push({ path, sha256 });
  }
  return found;
}

/** Throws if one of the files is not as it was. */
export async function checkScripts(scripts: readonly ScriptFile[]): Promise<void> {
  for (const { path, sha256 } of scripts)
    if ((await hashOf(path).catch(() => undefined)) !== sha256)
      throw new ToolFailure(`${path} has changed since the command was checked. Call it again`);
}

/** Words that may name a file, and whether the command runs it if they do. */
function candidates(argv: readonly string[]): { word: string; isRun: boolean }[] {
  const [program = '', ...args] = argv;
  const runsArguments = isInterpreter(program) || isWrapper(program) || testRunners.has(programName(program));
  const words = args.flatMap((arg, at) => {
    const isFile = /^(?:-f|--file|--makefile|--justfile)$/.test(args[at - 1] ?? '');
    const parts = runsArguments ? arg.split(/[\s'"`;|&()<>=,]+/) : [arg, arg.slice(arg.indexOf('=') + 1)];
    return [...new Set([arg, ...parts])].map((word) => ({ word, isRun: runsArguments || isFile }));
  });
  const own = program.includes('/') ? [{ word: program, isRun: true }] : [];
  const all = [...own, ...words.filter(({ word }) => word !== '' && !word.includes('\0'))];
  if (all.length > MAX_WORDS) throw new ToolFailure(`The command has more than ${MAX_WORDS} words`);
  return all;
}

/** Whether a file would be run; the programs of the system itself are no scripts. */
async function isScript(path: string, isRun: boolean, workspace: string): Promise<boolean> {
  const isOfSystem = systemDirectories.some((directory) => isInside(directory, path));
  if (isOfSystem && !isInside(workspace, path)) return false;
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && (isRun || (found.mode & 0o111) !== 0);
}

async function filesOf(program: string, cwd: string, workspace: string): Promise<string[]> {
  const names = ownFiles.find(([programs]) => programs.has(program))?.[1] ?? [];
  const found: string[] = [];
  for (let directory = cwd; names.length > 0; directory = dirname(directory)) {
    for (const name of names) {
      const path = await realpath(join(directory, name)).catch(() => undefined);
      if (path !== undefined && (await stat(path)).isFile()) found.push(path);
    }
    if (found.length > 0 || directory === workspace || !isInside(workspace, directory)) break;
  }
  return found;
}

/** An unreadable file is no script. */
function skipUnreadable(error: unknown): undefined {
  if (error instanceof ToolFailure) throw error;
}

async function hashOf(path: string): Promise<string> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  if (size > MAX_BYTES) throw new ToolFailure(`${path} is too large to run: more than ${MAX_BYTES} bytes`);
  const hash = createHash('sha256');
  const piece = Buffer.alloc(Math.min(PIECE, size + 1));
  for (;;) {
    const { bytesRead } = await file.read(piece);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
  }
}
