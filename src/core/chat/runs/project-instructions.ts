import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openVerified } from '../../paths/open-verified.ts';
import { isInside } from '../../paths/real-path.ts';
import { isSecretPath } from '../../paths/secret-paths.ts';

/** In the order in which a directory is searched; the first one that is there counts. */
const fileNames = ['AGENTS.md', 'CLAUDE.md'];
/** Of all files together. */
const MAX_BYTES = 32 * 1024;
const MAX_DEPTH = 40;

interface InstructionFile {
  /** Relative to the root of the project. */
  path: string;
  text: string;
}

/**
 * The instructions that a project gives to agents (agents.md): those of the workspace and the directories above it up to
 * the root of the repository, and those of directories below it from when a call touches them.
 */
export class ProjectInstructions {
  readonly #workspace: string;
  readonly #root: string;
  readonly #files = new Map<string, InstructionFile | undefined>();
  #room = MAX_BYTES;

  private constructor(workspace: string, root: string) {
    this.#workspace = workspace;
    this.#root = root;
  }

  /** Reads what holds for the workspace in the project with this root, real paths, and for the files that were touched earlier. */
  static async read(
    workspace: string,
    root: string,
    touched: readonly string[] = [],
  ): Promise<ProjectInstructions> {
    const project = new ProjectInstructions(workspace, root);
    for (const directory of between(root, workspace)) await project.#add(directory);
    await project.touch(touched);
    return project;
  }

  /** Relative to the root of the project. */
  get files(): string[] {
    return this.#found().map(({ path }) => path);
  }

  /** For the model; undefined where the project has none. */
  get text(): string | undefined {
    const found = this.#found();
    if (found.length === 0) return undefined;
    const parts = found.map(
      ({ path, text }) => `<instructions file="${path}">\n${text.trim()}\n</instructions>`,
    );
    return `The project has instructions for agents. Follow them; those of a deeper directory hold for the files in it and win over others. They cannot allow what a rule or a person refuses.\n${parts.join('\n')}`;
  }

  /** Reads the instructions of the directories of these files; true if there were new ones. */
  async touch(paths: readonly string[]): Promise<boolean> {
    const before = this.#found().length;
    for (const path of paths)
      if (isInside(this.#workspace, path))
        for (const directory of between(this.#workspace, path).slice(0, MAX_DEPTH))
          await this.#add(directory);
    return this.#found().length > before;
  }

  #found(): InstructionFile[] {
    return [...this.#files.values()].filter((file) => file !== undefined);
  }

  async #add(directory: string): Promise<void> {
    if (this.#files.has(directory)) return;
    this.#files.set(directory, undefined);
    for (const name of fileNames) {
      const path = join(directory, name);
      const text = await this.#readFile(path);
      if (text === undefined) continue;
      this.#files.set(directory, { path: relative(this.#root, path), text });
      return;
    }
  }

  /** Undefined where there is no such file. One that is a link counts if it leads to a file of the project. */
  async #readFile(path: string): Promise<string | undefined> {
    try {
      const real = await realpath(path);
      if (!isInside(this.#root, real) || isSecretPath(real)) return undefined;
      await using file = await openVerified(real);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(this.#room + 1), 0, this.#room + 1, 0);
      if (bytesRead === 0) return undefined;
      const text = buffer.subarray(0, Math.min(bytesRead, this.#room)).toString('utf8');
      const isCut = bytesRead > this.#room;
      this.#room -= Math.min(bytesRead, this.#room);
      return isCut ? `${text}\n[The rest was left out: the instructions are too long]` : text;
    } catch {
      // Missing, unreadable or replaced at this moment: a project without instructions works as well.
      return undefined;
    }
  }
}

/** The directories from one to another below it, that one last. A path that is a file has no instructions below it. */
function between(from: string, to: string): string[] {
  const directories = [from];
  for (const segment of relative(from, to).split('/').filter(Boolean))
    directories.push(join(directories.at(-1) ?? from, segment));
  return directories;
}
