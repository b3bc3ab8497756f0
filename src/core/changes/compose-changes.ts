import { homedir } from 'node:os';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import { agentSecrets } from '../agents/agent-secrets.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { SecretFiles } from '../paths/secret-files.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { Worktrees } from '../worktrees/worktrees.ts';
import type { FileKeepers } from '../tools/file-keeper.ts';
import { ChangeService } from './change-service.ts';
import { ChangeStore } from './change-store.ts';
import { KeptBlobs } from './kept-blobs.ts';
import { RunFileKeeper } from './run-file-keeper.ts';
import { WorkspaceSnapshots } from './workspace-snapshots.ts';
import { WorktreeChanges } from './worktree-changes.ts';

export interface ChangesDeps {
  config: Pick<Config, 'opened'>;
  database: Database;
  locations: Locations;
  env: Record<string, string | undefined>;
  protectedDirectories: string[];
  audit: AuditLog;
  worktrees: Worktrees;
  runtime: Runtime;
  log: Log;
}

export interface ChangesServices {
  fileKeepers: FileKeepers;
  changes: ChangeService;
  worktreeChanges: WorktreeChanges;
  /** Removes kept contents that nothing names, and snapshots that are not in use. */
  tidyKeptFiles: () => Promise<void>;
}

/** Wires what keeps the files that agents change, and what shows and undoes their changes. */
export function composeChanges(deps: ChangesDeps): Feature<ChangesServices> {
  const { database, locations, env, protectedDirectories, audit, runtime, log } = deps;
  const directory = join(locations.data, 'kept');
  const store = new ChangeStore(database);
  const blobs = new KeptBlobs(join(directory, 'contents'), runtime);
  const home = realPathOf(env['HOME'] ?? homedir());
  const snapshots = new WorkspaceSnapshots({
    directory: join(directory, 'snapshots'),
    home,
    protectedDirectories,
    env,
    runtime,
  });
  const shared = { database, store, blobs, snapshots, protectedDirectories, audit, runtime, log };
  const secretFiles = new SecretFiles(() => agentSecrets(deps.config));
  const { XDG_CONFIG_HOME: configHome } = env;
  const worktreeChanges = new WorktreeChanges({
    ...deps,
    secretFiles,
    personalSettings: [join(home, '.gitconfig'), join(configHome ?? join(home, '.config'), 'git/config')],
  });
  const tidyKeptFiles = async () => {
    await blobs.collect((prefix) => store.hashesIn(prefix));
    await snapshots.tidy();
  };
  return {
    services: {
      fileKeepers: { of: (run) => new RunFileKeeper(shared, run) },
      changes: new ChangeService({
        ...shared,
        secretFiles,
        worktreeChanges,
        workspaces: realPathOf(join(locations.data, 'workspaces')),
      }),
      worktreeChanges,
      tidyKeptFiles,
    },
    lifecycle: { tidy: { everyMs: TIDY_EVERY_MS, run: tidyKeptFiles } },
  };
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
