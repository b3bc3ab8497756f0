import type { Cli } from '../program/cli.ts';

/** Warns before a secret is sent over an unencrypted network connection. */
export function warnUnencrypted({ output }: Cli, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return;
  output.note(
    `${output.paintError('yellow', '!')} ${url} is not encrypted: others on the network can read the traffic.`,
  );
}
