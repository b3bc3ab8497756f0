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
  /^svc-backup-[\w-]+\.tar\.gz$/,
  // Mail, file transfer and chat.
  /^\.(esmtprc|msmtprc|fetchmailrc|offlineimaprc|mbsyncrc|muttrc|irssi|ftpconfig|ncftprc|tugboat|dockercfg|credentials)$/,
  /^(sitemanager|recentservers|filezilla|queue|webservers|datasources\.local|dbeaver-data-sources)\.xml$/,
  /^(sftp-config(-alt\d*)?|sftp|\.?remote-sync|robomongo|robo3t|heroku|credentials-config|data-sources|sftp-config)\.json$/,
  /^(proftpdpasswd|shadow-?|gshadow-?|passwd\.db|ventrilo_srv\.ini|ws_ftp\.ini|winscp\.ini|unattend\.xml|tomcat-users\.xml)$/,
  // Secrets of applications, as their frameworks name them.
  /^secrets?\.(ya?ml|json[5c]?|toml|ini|properties|xml|conf|cfg|txt|enc|auto\.tfvars|tfvars)$/,
  /^(wp-config|localsettings|configuration|local_settings|settings_local)\.php$|^master\.key$|^\w+\.tfstate(\.backup)?$/,
  /^\.(pgpass|mongorc\.js|dbshell|rediscli_auth|docker-token|cargo-credentials)$/,
];

/** What editors and people add to the name of a copy. */
const copySuffix =
  /(?:~|\.(?:bak|backup|old|orig|original|save|saved|swp|swo|swn|tmp|temp|copy|prev|disabled|off|rej|dist-old|\d{1,8})|[ _-](?:copy|backup|bak|old|kopie)|\s?\(\d{1,3}\))$/;

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
  if (originalsOf(segments.at(-1) ?? '').some(isSecretName)) return true;
  if (systemPaths.some((secret) => secret.test(`/${segments.join('/')}`))) return true;
  return segments.some((_, at) =>
    secretPaths.some((path) => path.every((segment, ahead) => segments[at + ahead] === segment)),
  );
}

const isSecretName = (name: string): boolean =>
  secretNames.some((secret) => secret.test(name)) && !harmlessNames.some((harmless) => harmless.test(name));

/** A name, and the names of the files that it may be a copy of. */
function originalsOf(name: string): string[] {
  const names = new Set([name]);
  // Emacs writes #name# and .#name, Vim .name.swp.
  const inner = /^\.?#(.+?)#?$/.exec(name)?.[1];
  if (inner !== undefined) names.add(inner);
  for (const one of names) {
    const original = one.replace(copySuffix, '');
    if (original !== '' && original !== one && !names.has(original)) {
      names.add(original);
      if (/\.sw[opn]$/.test(one) && original.startsWith('.')) names.add(original.slice(1));
    }
    const [, stem, extension] = /^(.+?)(?:[ _-]copy|[ _-]backup|\s?\(\d{1,3}\))(\.\w{1,10})$/.exec(one) ?? [];
    if (stem !== undefined) names.add(`${stem}${extension}`);
  }
  return [...names];
}
