import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { GitShells } from '../processes/git-shells.ts';
import type { Sandbox } from '../processes/sandbox.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { GitTools } from './git-tools.ts';
import { RepositoryNames } from './repository-names.ts';
import { Worktrees } from './worktrees.ts';
import { WorktreeOrphans } from './worktree-orphans.ts';
import { WorktreeStore } from './worktree-store.ts';

export interface WorktreeFeatureDeps {
  database: Database;
  locations: Locations;
  env: Record<string, string | undefined>;
  installation: string;
  daemon: Pick<DaemonIdentity, 'host'>;
  sandbox: Sandbox;
  shells: GitShells;
  runtime: Runtime;
  log: Log;
}

export interface WorktreeServices {
  worktrees: Worktrees;
  repositoryNames: RepositoryNames;
  worktreeOrphans: WorktreeOrphans;
}

/** Wires the Git worktrees of tasks. */
export function composeWorktrees(deps: WorktreeFeatureDeps): Feature<WorktreeServices> {
  const { database, locations, env } = deps;
  const root = join(locations.data, 'worktrees');
  const store = new WorktreeStore(database, deps.daemon.host);
  const tools = new GitTools({ env, scratch: join(root, '.scratch'), shells: deps.shells });
  const worktrees = new Worktrees({
    ...deps,
    root,
    home: realPathOf(env['HOME'] ?? homedir()),
    store,
    tools,
  });
  return {
    services: {
      worktrees,
      repositoryNames: new RepositoryNames({ tools, monotonic: deps.runtime.monotonic }),
      worktreeOrphans: new WorktreeOrphans({ worktrees, store, tools, root }),
    },
    lifecycle: { tidy: { everyMs: TIDY_EVERY_MS, run: () => worktrees.tidy() } },
  };
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
