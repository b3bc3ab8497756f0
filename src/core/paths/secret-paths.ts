import { foldName } from './fold-name.ts';

/** Names of files that hold secrets, in any directory. */
const secretNames = [
  /^\.env(rc)?([._~-].*)?$/,
  /\S(?<!\b(process|meta))\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?([._~-].*)?$/,
  /\.(pem|key|p12|pfx|kdbx?|jks|keystore|ppk|keytab|agekey)(\.(bak|old|orig|save)|~)?$/,
  /^(\.|_)netrc([._~-].*)?$/,
  /^\.(npmrc|pypirc|git-credentials|pgpass|my\.cnf|mylogin\.cnf|dockercfg|htpasswd|s3cfg|boto|vault-token)$/,
  /^\.(fetchmailrc|smbcredentials|terraformrc|rclone\.conf|credentials(\.json)?)$/,
  /^(credentials|application_default_credentials|oauth_creds|service[-_]?account.*|client_secret.*)\.json$/,
  /^credentials\.tfrc\.json$/,
  /^\.\w*history$|^fish_history$|^\.lesshst$/,
  /^(logins\.json|key[34]\.db|cookies\.sqlite|login data|wallet\.dat|login\.keychain(-db)?)$/,
  /^ssh_host_\w+_key$/,
];

/** Names that match a pattern above but hold no secret. */
const harmlessNames = [
  /^\.env\b.*\.(example|sample|template)$/,
  /^[\w.-]*(example|sample|template)\.env$/,
  /^id_\w+\.pub$/,
];

/** Directories, and files identified by their directory, that hold secrets. */
const secretPaths = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.password-store',
  '.mozilla',
  '.thunderbird',
  '.kube/config',
  '.docker/config.json',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.composer/auth.json',
  '.codex/auth.json',
  '.huggingface/token',
  '.kaggle/kaggle.json',
  '.cache/huggingface/token',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/op',
  '.config/rclone',
  '.config/git/credentials',
  '.config/google-chrome',
  '.config/chromium',
  '.config/bravesoftware',
  '.config/microsoft-edge',
  '.config/opera',
  '.local/share/keyrings',
  '.gnome2/keyrings',
  'library/keychains',
  'library/cookies',
  'application support/google/chrome',
  'application support/firefox',
  'application support/bravesoftware',
  'snap/firefox',
  'snap/chromium',
].map((path) => path.split('/'));

/** Absolute paths that hold secrets. */
const systemPaths = [
  /^\/etc\/(g?shadow-?|sudoers(\.d)?|krb5\.keytab|ssl\/private)(\/|$)/,
  /^\/(var\/)?run\/secrets(\/|$)/,
  // The environment, memory and open files of processes; a process directory also links to the whole file system.
  /^\/proc\/(self|thread-self|\d+|\*)(\/|$)/,
  /^\/proc\/kcore$/,
  /^\/dev\/(mem|kmem|port)$/,
];

/** Whether a path holds secrets: environment files, keys, credential stores, shell histories, process state. */
export function isSecretPath(realPath: string): boolean {
  const segments = realPath.split('/').filter(Boolean).map(foldName);
  const name = segments.at(-1) ?? '';
  if (
    secretNames.some((secret) => secret.test(name)) &&
    !harmlessNames.some((harmless) => harmless.test(name))
  )
    return true;
  if (systemPaths.some((secret) => secret.test(`/${segments.join('/')}`))) return true;
  return segments.some((_, at) =>
    secretPaths.some((path) => path.every((segment, ahead) => segments[at + ahead] === segment)),
  );
}
