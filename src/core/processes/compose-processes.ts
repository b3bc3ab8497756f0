import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Feature } from '../lifecycle.ts';
import { secretFilesIn } from '../config/environment-values.ts';
import { ownDirectories, ownFiles } from '../paths/own-directories.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { ensureState } from '../storage/state.ts';
import { defaultPath } from './default-path.ts';
import { ForkServer } from './fork-server/fork-server.ts';
import { GitShells } from './git-shells.ts';
import { killMarked } from './marked-processes.ts';
import { Sandbox } from './sandbox.ts';
import { Workspaces } from './workspaces.ts';

export interface ProcessServices {
  /** Marks the processes of this installation, so that a later daemon can find those that an earlier one left behind. */
  installation: string;
  sandbox: Sandbox;
  workspaces: Workspaces;
  /** What starts programs. */
  forkServer: ForkServer;
  /** What git runs in. */
  shells: GitShells;
  /** Real paths of the daemon's own directories, which no tool may read. */
  protectedDirectories: string[];
}

export interface ProcessDeps {
  database: Database;
  locations: Locations;
  env: Record<string, string | undefined>;
  daemon: DaemonIdentity;
  runtime: Runtime;
}

/** Wires the sandbox and workspaces of agents and tools; at startup, kills processes that an earlier daemon left behind. */
export async function composeProcesses({
  database,
  locations,
  env,
  daemon,
  runtime,
}: ProcessDeps): Promise<Feature<ProcessServices>> {
  const stored = await ensureState(database, 'installation', () => runtime.newSecret(24));
  // Daemons of a cluster on one host leave each other's processes alone.
  const installation = daemon.isInCluster ? `${stored}.${daemon.id}` : stored;
  const hiddenDirectories = ownDirectories(locations);
  const protectedDirectories = [
    ...hiddenDirectories,
    ...ownFiles([locations.identityFile, ...secretFilesIn(env)]),
  ];
  const sandbox = new Sandbox({
    path: env['PATH'] ?? defaultPath,
    home: env['HOME'] ?? homedir(),
    hiddenDirectories,
  });
  const workspaces = new Workspaces(join(locations.data, 'workspaces'));
  const shells = new GitShells(runtime);
  const forkServer = new ForkServer({ socket: join(locations.runtime, 'fork.sock'), runtime });
  return {
    services: { installation, sandbox, workspaces, forkServer, shells, protectedDirectories },
    lifecycle: {
      start: () => killMarked((mark) => mark.startsWith(`${installation}/`)),
      stop: async () => {
        await Promise.all([shells.close(), forkServer.close()]);
      },
    },
  };
}
