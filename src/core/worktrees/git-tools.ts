import { mkdir } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { defaultPath } from '../processes/default-path.ts';
import { findProgram } from '../processes/find-program.ts';
import { isInside } from '../paths/real-path.ts';
import { type GitParts, type GitPlace, RepositoryGit } from './repository-git.ts';

export interface GitToolsDeps {
  env: Record<string, string | undefined>;
  /** A private directory. */
  scratch: string;
  shells: GitParts['shells'];
}

/** Finds git and opens repositories with it. */
export class GitTools {
  readonly #deps: GitToolsDeps;
  constructor(deps: GitToolsDeps) {
    this.#deps = deps;
  }

  /** Undefined where this machine has no git, or only one inside the directory that it would work in. */
  async open(place: GitPlace): Promise<RepositoryGit | undefined> {
    const { env, scratch, shells } = this.#deps;
    const program = await findProgram('git', env['PATH'] ?? defaultPath);
    if (program === undefined || isInside(place.known?.workTree ?? place.cwd, program)) return undefined;
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    return new RepositoryGit(place, { program, scratch, shells });
  }

  /** The same; throws where there is no git. */
  async require(place: GitPlace): Promise<RepositoryGit> {
    const git = await this.open(place);
    if (git) return git;
    throw new AppError('conflict', 'The daemon found no git. Install Git, or run the task with --in-place.');
  }
}
