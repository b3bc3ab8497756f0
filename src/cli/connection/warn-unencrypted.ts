import type { Cli } from '../program/cli.ts';

/** Says so before a secret goes over a network in clear. */
export function warnUnencrypted({ output }: Cli, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return;
  output.note(
    `${output.paintError('yellow', '!')} ${url} is not encrypted: others on the way can read what is sent.`,
  );
}
