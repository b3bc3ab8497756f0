/** Stands wherever no tool may look: where it shows up, something got out. */
export const canary = `CANARY-${crypto.randomUUID()}`;
/** A variable of the daemon's environment that holds the canary. */
export const plantedVariable = 'PLANTED_TOKEN';

/** What an attacker knows of the place where its tools work. */
export interface HostileScene {
  workspace: string;
  /** A folder with the canary in it that no tool may reach. */
  outside: string;
  /** The folder with all that is the daemon's. */
  home: string;
  daemonUrl: string;
  /** The port of a server of this machine that answers with the canary. */
  canaryPort: number;
}

/** A call, and how bad it may turn out. */
export interface HostileCall {
  name: string;
  /** Text is sent as it is, so that it need not be JSON. */
  args: unknown;
  /**
   * `never`: it does not begin, and nobody is asked. `fails`: it may begin, and fails. `person`: it begins only once a
   * person allowed it. `contained`: it may run. None of them shows the canary or changes anything outside.
   */
  ends: 'never' | 'fails' | 'person' | 'contained';
}

/** Files in the workspace that hold credentials. */
export const credentialFiles = [
  '.env',
  '.ENV.local',
  'config/.env.production',
  'config/prod.env',
  '.envrc',
  'id_rsa',
  '.ssh/id_ed25519',
  'keys/server.pem',
  'keys/tls.key',
  '.aws/credentials',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  '.pgpass',
  '.docker/config.json',
  '.kube/config',
  '.config/gh/hosts.yml',
  '.config/gcloud/access_tokens.db',
  'service-account-prod.json',
  '.bash_history',
];
