import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cli } from '../../program/cli.ts';
import { formatLeft } from '../../output/duration.ts';
import { browserCommand } from './browser-command.ts';

/** `svc ui`: opens a page with a one-time link, or prints the link where there is no browser. */
export async function openUi(
  cli: Cli,
  page: string | undefined,
  { print = false }: { print?: boolean },
): Promise<void> {
  const { output, platform, locations } = cli;
  const returnTo = page === undefined ? '/' : `/${page.replace(/^\/+/, '')}`;
  const { client, target } = cli.connect();
  const { url, expiresAt } = await client.auth.createSignInLink({ body: { returnTo } });
  const command = print ? undefined : browserCommand(platform);
  if (command && (await open(command, writePage(locations.runtime, url))))
    return output.write(`Opened ${target.url}${returnTo} in the browser.\n`);
  output.write(`${url}\n`);
  output.note(
    `Open it in a browser to sign in there. It works once and expires in ${formatLeft(expiresAt, Date.now())}.`,
  );
}

/** The browser gets a file that only this user can read: everybody on the machine can read the arguments of a program. */
function writePage(directory: string, url: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'open-ui.html');
  const page = `<!doctype html><meta charset="utf-8"><title>svc</title>
<meta http-equiv="refresh" content="0;url=${escape(url)}"><a href="${escape(url)}">Open svc</a>\n`;
  writeFileSync(file, page, { mode: 0o600 });
  // One of an earlier call keeps its mode.
  chmodSync(file, 0o600);
  return file;
}

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Whether a browser took it. */
async function open([program, ...args]: readonly [string, ...string[]], file: string): Promise<boolean> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(program, [...args, file], { detached: true, stdio: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
