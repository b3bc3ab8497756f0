import { AppError } from '../../errors.ts';
import { isLoopbackHost } from '../../text/loopback-host.ts';

const part = String.raw`[\w.-]{1,100}`;
const nameForm = new RegExp(`^${part}/${part}$`);
/** The addresses that `git clone` takes: a URL, or `git@host:owner/repo`. */
const remoteForms = [
  new RegExp(`^https?://(?:[^/@]*@)?([^/@]+)/(${part}/${part}?)(?:\\.git)?/?$`, 'i'),
  new RegExp(`^(?:ssh|git)://(?:[^/@]*@)?([^/:@]+)(?::\\d+)?/(${part}/${part}?)(?:\\.git)?/?$`, 'i'),
  new RegExp(`^(?:[\\w.-]+@)?([\\w.-]+):/?(${part}/${part}?)(?:\\.git)?/?$`, 'i'),
];

/** `owner/repo`; undefined for anything else, such as a path that leads elsewhere. */
export const repositoryName = (text: string): string | undefined =>
  nameForm.test(text) && !text.split('/').some((name) => /^\.+$/.test(name)) ? text : undefined;

/**
 * The origin of the server that has the repositories, derived from that of its API: https://github.com for
 * https://api.github.com, else the same server. Throws where a token would travel without encryption.
 */
export function gitOrigin(apiUrl: string): string {
  const url = new URL(apiUrl);
  const isPlain = url.protocol !== 'https:';
  if (isPlain && !isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''))) {
    const setting = 'integrations.github.apiUrl';
    const message = `Pushing needs https. Set an address with it: svc config set ${setting} <url>`;
    throw new AppError('unavailable', message, { details: [{ path: setting, message }], isLasting: true });
  }
  // An address of GitHub with data residency is api.NAME.ghe.com.
  if (/^api\.(?:github\.com|[\w-]+\.ghe\.com)$/.test(url.hostname)) url.hostname = url.hostname.slice(4);
  return url.origin;
}

/** The repository that the address of a remote names, if it is at this server. */
export function repositoryOfRemote(remote: string, origin: string): string | undefined {
  const { host, hostname } = new URL(origin);
  for (const form of remoteForms) {
    const [, server = '', path = ''] = form.exec(remote) ?? [];
    const isHere = [host, hostname, `ssh.${hostname}`].includes(server.toLowerCase());
    if (isHere) return repositoryName(path.replace(/\.git$/i, ''));
  }
  return undefined;
}
